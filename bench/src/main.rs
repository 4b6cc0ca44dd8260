//! scratch
use mercer::data::*;
use mercer::gram::Engine;
use mercer::kernel::vector::*;
use std::time::Instant;
fn main() {
    let (n, d) = (8000, 100);
    let mut s = 1u64;
    let mut r = || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        (s >> 11) as f64 / (1u64 << 53) as f64 * 3.4 - 1.7
    };
    let x = Vectors::from(Dense::new(n, d, (0..n * d).map(|_| r()).collect()).unwrap());
    for threads in [1, 2, 2, 2] {
        let e = Engine::new().with_threads(threads).unwrap();
        let t = Instant::now();
        let k = e.gram(&Rbf::new(0.01).unwrap(), &x).unwrap();
        println!("rbf {threads} {:?} {}", t.elapsed(), k.at(5, 7000));
        drop(k);
        let t = Instant::now();
        let k = e.gram(&Linear, &x).unwrap();
        println!("linear {threads} {:?} {}", t.elapsed(), k.at(5, 7000));
        drop(k);
        let t = Instant::now();
        let k = e.gram(&Laplacian::new(0.01).unwrap(), &x).unwrap();
        println!("laplacian {threads} {:?} {}", t.elapsed(), k.at(5, 7000));
    }
}
