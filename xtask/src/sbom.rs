//! A software bill of materials of the program and the Python package, as CycloneDX 1.5.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::supply::metadata;
use crate::{Outcome, root};

const FILE: &str = "target/mercer.cdx.json";

/// Writes the document.
pub(crate) fn write() -> Outcome<()> {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).map_err(|e| format!("{path}: {e}"));
    let (metadata, platforms) = metadata()?;
    let document = document(&read("Cargo.lock")?, &read("python/pyproject.toml")?, &metadata)?;
    let components = document["components"].as_array().map_or(0, Vec::len);
    let path = root().join(FILE);
    std::fs::create_dir_all(root().join("target")).map_err(|e| e.to_string())?;
    std::fs::write(&path, format!("{document:#}\n")).map_err(|e| format!("{FILE}: {e}"))?;
    println!("{FILE}: {components} components, licences of {platforms}");
    Ok(())
}

/// The document for a lock file, the Python package's description and the output of `cargo metadata`. It contains no
/// time and no random number, so the same input gives the same bytes.
fn document(lock: &str, python: &str, metadata: &Value) -> Outcome<Value> {
    let lock: toml::Table = lock.parse().map_err(|e| format!("Cargo.lock: {e}"))?;
    let python: toml::Table = python.parse().map_err(|e| format!("pyproject.toml: {e}"))?;
    let licences = licences(metadata);
    let packages = lock.get("package").and_then(|p| p.as_array()).ok_or("Cargo.lock: no packages")?;
    let text =
        |package: &toml::Value, key: &str| package.get(key).and_then(|v| v.as_str()).map(str::to_owned);
    let (mut components, mut dependencies) = (Vec::new(), Vec::new());
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages {
        let name = text(package, "name").ok_or("Cargo.lock: a package without a name")?;
        versions.entry(name).or_default().extend(text(package, "version"));
    }
    for package in packages {
        let (Some(name), Some(version)) = (text(package, "name"), text(package, "version")) else { continue };
        let mut component = library(&purl(&name, &version), &name);
        component["version"] = version.as_str().into();
        if let Some(licence) = licences.get(&(name.clone(), version.clone())) {
            component["licenses"] = json!([{"expression": licence}]);
        }
        if let Some(sum) = text(package, "checksum") {
            component["hashes"] = json!([{"alg": "SHA-256", "content": sum}]);
        }
        let needed = package.get("dependencies").and_then(|d| d.as_array()).into_iter().flatten();
        let needed: Vec<String> = needed
            .filter_map(|d| {
                // `name`, or `name version` if there are several.
                let mut words = d.as_str()?.split(' ');
                let name = words.next()?;
                let version = words.next().or_else(|| Some(versions.get(name)?.first()?.as_str()))?;
                Some(purl(name, version))
            })
            .collect();
        dependencies.push(json!({"ref": purl(&name, &version), "dependsOn": needed}));
        components.push(component);
    }
    let project = python.get("project").ok_or("pyproject.toml: no project")?;
    let listed = project.get("dependencies").and_then(|d| d.as_array()).into_iter().flatten();
    let mut needed = Vec::new();
    for requirement in listed.filter_map(|r| r.as_str()) {
        let end = requirement.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
        let (name, range) = requirement.split_at(end.unwrap_or(requirement.len()));
        let purl = format!("pkg:pypi/{}", name.to_ascii_lowercase().replace(['_', '.'], "-"));
        let mut component = library(&purl, name);
        component["properties"] = json!([{"name": "mercer:requirement", "value": range}]);
        components.push(component);
        needed.push(purl);
    }
    let version = versions.get("mercer").and_then(|v| v.first()).ok_or("Cargo.lock: no mercer")?.clone();
    needed.push(purl("mercer-python", &version));
    let own = format!("pkg:pypi/mercer@{version}");
    dependencies.push(json!({"ref": own, "dependsOn": needed}));
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {
            "type": "application", "bom-ref": own, "name": "mercer", "version": version, "purl": own,
            "licenses": [{"expression": project.get("license").and_then(|l| l.as_str()).unwrap_or("NOASSERTION")}],
        }},
        "components": components,
        "dependencies": dependencies,
    }))
}

fn library(purl: &str, name: &str) -> Value {
    let entries = [("type", "library"), ("bom-ref", purl), ("name", name), ("purl", purl)];
    Value::Object(entries.into_iter().map(|(k, v)| (k.to_owned(), v.into())).collect::<Map<_, _>>())
}

fn purl(name: &str, version: &str) -> String {
    // Some readers decode a plus sign as a space.
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}

/// Licences as SPDX expressions, by name and version.
fn licences(metadata: &Value) -> BTreeMap<(String, String), String> {
    let all = metadata["packages"].as_array().into_iter().flatten();
    let known = all.filter_map(|p| {
        let text = |key: &str| p[key].as_str().map(str::to_owned);
        // An old notation for a choice.
        Some(((text("name")?, text("version")?), text("license")?.replace('/', " OR ")))
    });
    known.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For this repository: every package of the lock file, with the fields required by the standard.
    #[test]
    fn the_bill_names_every_package() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let read = |path: &str| std::fs::read_to_string(folder.join(path)).unwrap();
        let lock = read("Cargo.lock");
        let metadata = json!({"packages": [{"name": "serde", "version": "1", "license": "MIT/Apache-2.0"}]});
        let bill = document(&lock, &read("python/pyproject.toml"), &metadata).unwrap();
        assert_eq!((&bill["bomFormat"], &bill["specVersion"]), (&json!("CycloneDX"), &json!("1.5")));
        let components = bill["components"].as_array().unwrap();
        let packages = lock.matches("[[package]]").count();
        assert_eq!(components.len(), packages + 3);
        let mut known = std::collections::BTreeSet::new();
        for component in components {
            assert!(known.insert(component["bom-ref"].as_str().unwrap()), "{component} twice");
            assert_eq!(component["type"], "library");
            assert!(component["name"].is_string() && component["purl"].as_str().unwrap().starts_with("pkg:"));
            if let Some(sum) = component["hashes"][0]["content"].as_str() {
                assert!(sum.len() == 64 && sum.bytes().all(|b| b.is_ascii_hexdigit()));
            }
        }
        let summed = components.iter().filter(|c| c["hashes"].is_array()).count();
        assert_eq!(summed, lock.matches("\nchecksum = ").count());
        known.insert(bill["metadata"]["component"]["bom-ref"].as_str().unwrap());
        for dependency in bill["dependencies"].as_array().unwrap() {
            assert!(known.contains(dependency["ref"].as_str().unwrap()));
            for needed in dependency["dependsOn"].as_array().unwrap() {
                assert!(known.contains(needed.as_str().unwrap()), "{needed}");
            }
        }
        assert!(components.iter().any(|c| c["purl"] == "pkg:pypi/numpy"));
    }

    #[test]
    fn licences_are_expressions() {
        let metadata = json!({"packages": [{"name": "a", "version": "1.0.0", "license": "MIT/Apache-2.0"},
            {"name": "b", "version": "2.0.0", "license": null}]});
        let known = licences(&metadata);
        assert_eq!(known[&("a".into(), "1.0.0".into())], "MIT OR Apache-2.0");
        assert_eq!(known.len(), 1);
    }
}
