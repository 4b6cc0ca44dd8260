//! The data sets, with what is known to be wrong in them.

use std::path::{Path, PathBuf};

use mercer::data::Dataset;
use mercer::read::{Options, read};

/// A data set, and its known faults as code and column.
pub(crate) struct Set {
    pub(crate) name: &'static str,
    pub(crate) data: Dataset,
    pub(crate) faults: &'static [(&'static str, &'static str)],
}

/// File, target if it is not recognised, and known faults with their columns.
type Row = (&'static str, Option<&'static str>, &'static [(&'static str, &'static str)]);

const SETS: [Row; 52] = [
    ("categorical/adult/adult_train.csv.gz", Some("income"), &[]),
    ("categorical/breast_cancer_ljubljana/breast_cancer_ljubljana.csv", None, &[]),
    ("categorical/hepatitis/hepatitis.csv", None, &[]),
    ("categorical/house_votes_84/house_votes_84.csv", None, &[]),
    ("categorical/mushroom/mushroom.csv", None, &[]),
    ("genes/breast_vantveer_3class/breast_vantveer_3class.csv", None, &[]),
    ("genes/colon_alon/colon_alon.csv", None, &[]),
    ("genes/lung_gordon/lung_gordon.csv.gz", None, &[]),
    ("graphs/DD", None, &[]),
    ("graphs/ENZYMES", None, &[]),
    ("graphs/MUTAG", None, &[]),
    ("graphs/NCI1", None, &[]),
    ("graphs/PROTEINS", None, &[]),
    ("graphs/PTC_MR", None, &[]),
    ("libsvm/a1a/a1a.gz", None, &[]),
    ("libsvm/a9a/a9a.gz", None, &[]),
    ("libsvm/covtype_20k/covtype_20k.gz", None, &[]),
    ("libsvm/ijcnn1_val/ijcnn1.val.gz", None, &[]),
    ("libsvm/mnist_t10k/mnist.t.gz", None, &[]),
    (
        "molecules/ESOL/ESOL.csv",
        Some("measured log solubility in mols per litre"),
        &[
            ("W_IDENTIFIER", "Compound ID"),
            ("W_PREDICTION", "ESOL predicted log solubility in mols per litre"),
        ],
    ),
    ("molecules/Photoswitch/Photoswitch.csv", Some("E isomer pi-pi* wavelength in nm"), &[]),
    ("nodes/cora/nodes.csv", None, &[("W_IDENTIFIER", "node")]),
    ("nodes/cora/features.libsvm", None, &[]),
    ("nodes/karate/nodes.csv", None, &[]),
    ("strings/fastsk_EP300/EP300.train.fasta", None, &[]),
    ("strings/newsgroups4/newsgroups4_train.csv.gz", None, &[]),
    ("strings/promoters/promoters.csv", None, &[("W_IDENTIFIER", "name")]),
    ("strings/reuters_r8/reuters_r8_train.csv.gz", None, &[]),
    ("strings/sms_spam/sms_spam.csv", None, &[]),
    ("strings/splice/splice.csv", None, &[("W_IDENTIFIER", "instance")]),
    ("tables/australian/australian.csv", None, &[]),
    ("tables/balance_scale/balance_scale.csv", None, &[]),
    ("tables/ecoli/ecoli.csv", None, &[]),
    ("tables/haberman/haberman.csv", None, &[]),
    ("tables/iris/iris.csv", None, &[]),
    ("tables/liver_bupa/liver_bupa.csv", None, &[]),
    ("tables/mammographic_masses/mammographic_masses.csv", None, &[("W_OUTLIERS", "BI-RADS")]),
    ("tables/pima_diabetes/pima_diabetes.csv", None, &[]),
    ("tables/planning_relax/planning_relax.csv", None, &[]),
    ("timeseries/ArrowHead/ArrowHead_TRAIN.ts", None, &[]),
    ("timeseries/BasicMotions/BasicMotions_TRAIN.ts", None, &[]),
    ("timeseries/Coffee/Coffee_TRAIN.ts", None, &[]),
    ("timeseries/ECG200/ECG200_TRAIN.ts", None, &[]),
    ("timeseries/EEG_alcoholic_S1/EEG_alcoholic_S1.ts.gz", None, &[]),
    ("timeseries/GunPoint/GunPoint_TRAIN.ts", None, &[]),
    ("timeseries/ItalyPowerDemand/ItalyPowerDemand_TRAIN.ts", None, &[]),
    ("timeseries/JapaneseVowels/JapaneseVowels_TRAIN.ts", None, &[]),
    ("timeseries/SyntheticControl/SyntheticControl_TRAIN.ts", None, &[]),
    ("timeseries/Trace/Trace_TRAIN.ts", None, &[]),
    ("wild/titanic/titanic.csv", Some("survived"), &[("W_TARGET_COPY", "alive")]),
    ("wild/titanic/titanic_raw.csv", Some("survived"), &[("W_IDENTIFIER", "name")]),
    ("wild/taxis/taxis.csv", Some("color"), &[]),
];

fn folder() -> PathBuf {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::env::var_os("MERCER_DATA").map_or(default, PathBuf::from)
}

/// The data sets that can be read, and the others with the reason.
pub(crate) fn read_all() -> (Vec<Set>, Vec<(&'static str, String)>) {
    let (mut sets, mut absent) = (Vec::new(), Vec::new());
    for (name, target, faults) in SETS {
        let options = Options { target: target.map(str::to_owned), ..Options::default() };
        match read(&folder().join(name), &options) {
            Ok(data) => sets.push(Set { name, data, faults }),
            Err(error) => absent.push((name, error.code().to_string())),
        }
    }
    (sets, absent)
}
