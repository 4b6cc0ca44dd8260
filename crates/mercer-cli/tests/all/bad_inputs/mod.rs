//! Every invalid input is refused with its location and a stable code, and leaves no files. Tests are named after the
//! rows of the list of bad inputs; inputs that the list accepts must give the stated result.

mod archives;
mod arrays;
mod files;
mod formats;
mod graphs;
mod matrices;
mod models;
mod numbers;
mod sequences;
mod tables;
mod wild;

const TABLE: &str = "a,b,class\n1,2,p\n3,4.5,q\n-5,0.25,p\n";
const SPARSE: &str = "+1 1:1 2:2\n-1 1:3 2:4.5\n+1 1:-5 2:0.25\n";
const ARFF: &str = "@relation r\n@attribute a real\n@attribute b real\n@attribute class {p,q}\n@data\n1,2,p\n3,4.5,q\n-5,0.25,p\n";

const TEXTS: [(&str, &str); 3] = [("a.csv", TABLE), ("a.libsvm", SPARSE), ("a.arff", ARFF)];

const SERIES: &str = "@univariate true\n@classLabel true up down\n@data\n1,2,3:up\n2,1:down\n";
const FASTA: &str = ">a\nacgt\n>b\nacca\n";
