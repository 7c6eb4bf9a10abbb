// SPDX-License-Identifier: MIT
//! Builds libwheel.a with the library's own Makefile, which lists the C sources.
//!
//! A crate from `make package` has the C sources in c/. In the tree they are three levels up. If there
//! are none, the installed library is linked.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let library = match source_root() {
        Some(root) => root.join("lib"),
        None => return link_installed(),
    };

    make(&library, &out);
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=wheel");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", library.join("Makefile").display());
    println!("cargo:rerun-if-env-changed=LIBWHEEL_CFLAGS");
    for source in dependencies(&out, &library) {
        println!("cargo:rerun-if-changed={}", source.display());
    }
}

/// The static library of the package that pkg-config finds.
fn link_installed() {
    let output = Command::new("pkg-config")
        .args(["--variable=libdir", "libwheel"])
        .output()
        .expect("libwheel-sys needs its C sources, or pkg-config and an installed libwheel");

    assert!(output.status.success(), "libwheel is not installed");
    println!("cargo:rustc-link-search=native={}", String::from_utf8_lossy(&output.stdout).trim());
    println!("cargo:rustc-link-lib=static=wheel");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
}

fn source_root() -> Option<PathBuf> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let packaged = here.join("c");

    if packaged.exists() {
        return Some(packaged);
    }
    let tree = here.join("../../..").canonicalize().ok()?;
    tree.join("lib/Makefile").exists().then(|| tree)
}

fn make(library: &Path, out: &Path) {
    let archive = out.join("libwheel.a");
    let flags = env::var("LIBWHEEL_CFLAGS").unwrap_or_else(|_| "-O2 -g".into());
    let status = Command::new("make")
        .args(["-s", "-C"])
        .arg(library)
        .arg(format!("B={}", out.display()))
        .arg(&archive)
        .env("CFLAGS", flags)
        .env_remove("MAKEFLAGS")
        .env_remove("MAKELEVEL")
        .status()
        .expect("libwheel-sys needs make and a C compiler");

    assert!(status.success(), "make could not build libwheel.a");
}

/// The prerequisites in the dependency files that the C compiler has written.
fn dependencies(directory: &Path, library: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();

    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(dependencies(&path, library));
        } else if path.extension().map_or(false, |end| end == "d") {
            found.extend(prerequisites(&path, library));
        }
    }
    found.sort();
    found.dedup();
    found
}

fn prerequisites(file: &Path, library: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(file).unwrap_or_default();

    text.split_whitespace()
        .filter(|word| word.ends_with(".c") || word.ends_with(".h"))
        .map(|word| library.join(word))
        .collect()
}
