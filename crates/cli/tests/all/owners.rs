//! Keys of three owners, from the session to the decryption by all of them together.

use crate::support::{Workspace, numbers};

const OWNERS: [&str; 3] = ["ann", "bob", "eve"];

/// Returns the names of these owners' files of one kind.
fn files(kind: &str, owners: &[&str]) -> String {
    owners.iter().map(|owner| format!(" {owner}.{kind}")).collect()
}

/// Begins a session of three owners and draws the shares of all.
fn with_shares(options: &str) -> Workspace {
    let here = Workspace::new();
    here.succeed(&format!("owners session --owners 3 {options} --output session"));
    OWNERS.iter().enumerate().for_each(|(index, owner)| share(&here, owner, index + 1));
    here
}

fn share(here: &Workspace, owner: &str, number: usize) {
    let text = here.succeed(&format!(
        "owners share --session session --owner {number} --secret {owner}.secret \
         --commitment {owner}.commitment --first {owner}.first --keys {owner}.keys"
    ));
    assert!(text.contains(&format!("shares of owner {number} of 3")), "{text}");
}

fn agree(owner: &str, commitments: &[&str], first: &[&str]) -> String {
    let (commitments, first) = (files("commitment", commitments), files("first", first));
    format!(
        "owners agree --secret {owner}.secret --commitment{commitments} --first{first} --second {owner}.second"
    )
}

fn combine(second: &[&str]) -> String {
    let [commitments, first, keys] =
        ["commitment", "first", "keys"].map(|kind| files(kind, &OWNERS));
    let second = files("second", second);
    format!(
        "owners combine --session session --commitment{commitments} --first{first} --keys{keys} \
         --second{second} --public public.key --evaluation server.key --bits-evaluation bits.key"
    )
}

/// Deals the shares of all owners to five holders, and has the named ones decrypt together.
fn any_three_of_five(here: &Workspace, results: &str, expected: &str) {
    for owner in OWNERS {
        let files: String = (1..=5).map(|holder| format!(" {owner}.to{holder}")).collect();
        here.succeed(&format!("owners deal --secret {owner}.secret --dealt{files}"));
    }
    for holder in 1..=5 {
        let dealt = files(&format!("to{holder}"), &OWNERS);
        let text = here.succeed(&format!("owners receive --dealt{dealt} --secret {holder}.secret"));
        assert!(text.contains(&format!("holder {holder} of 5, any 3")), "{text}");
    }
    for together in [[1, 4, 5], [3, 2, 4]] {
        let [first, second, third] = together;
        for holder in together {
            here.succeed(&format!(
                "decrypt --secret {holder}.secret --together {first},{second},{third} \
                 --input {results} --output {holder}.part"
            ));
        }
        here.succeed(&format!(
            "decrypt --part {third}.part {first}.part {second}.part --input {results} --output out.csv"
        ));
        assert_eq!(here.read("out.csv"), expected.as_bytes(), "{together:?}");
    }
}

/// Checks that holders who do not belong together are refused by their numbers; 2, 3 and 4 wrote parts last.
fn refuse_other_holders(here: &Workspace) {
    let part = |rest: &str| {
        here.fail(&format!("decrypt --input risks.joint --output x.part --secret {rest}"))
    };
    for (rest, wrong) in [
        ("1.secret --together 1,4", "2 holders were named to decrypt together"),
        ("1.secret --together 1,4,6", "owner 6"),
        ("1.secret --together 1,4,4", "two messages of owner 4"),
        ("1.secret --together 2,4,5", "holder 1 is not one of those"),
        ("1.secret", "--together 1,2,3"),
        ("ann.secret --together 1,2,3", "owners deal"),
    ] {
        let message = part(rest);
        assert!(message.contains(wrong), "{rest}: {message}");
    }
    // Parts of two quorums: the later one has 2, 3 and 4.
    let message =
        here.fail("decrypt --part 1.part 2.part 3.part --input risks.joint --output x.csv");
    assert!(message.contains("owner 2 was made for decryption by 2, 3, 4 of 5"), "{message}");
    let message = here.fail("decrypt --part 2.part 3.part --input risks.joint --output x.csv");
    assert!(message.contains("the partial decryption of owner 4 is missing"), "{message}");
    let message = here.fail("owners receive --dealt ann.to1 bob.to2 eve.to1 --secret x.secret");
    assert!(message.contains("holder of a dealt share"), "{message}");
    let message = here.fail("owners deal --secret ann.secret --dealt a.1 a.2");
    assert!(message.contains("number of holders") && !here.path("a.1").exists(), "{message}");
}

/// The table that is looked up: outputs of three bits.
fn risk(age: u64) -> u64 {
    age * 5 / 11
}

/// Encrypts, looks up, and has all owners write their parts.
fn look_up(here: &Workspace, inputs: u64, ages: &[u64], flooding: &str) {
    here.write("risks.csv", numbers((0..inputs).map(|age| risk(age) % 8)));
    here.write("ages.csv", numbers(ages));
    here.succeed("encrypt --public public.key --input ages.csv --output ages.ct");
    here.succeed(
        "owners lookup --evaluation server.key --bits-evaluation bits.key --table risks.csv \
         --input ages.ct --output risks.joint",
    );
    for owner in OWNERS {
        here.succeed(&format!(
            "decrypt --secret {owner}.secret --input risks.joint --output {owner}.part {flooding}"
        ));
    }
}

fn decrypt(owners: &[&str]) -> String {
    format!("decrypt --part{} --input risks.joint --output out.csv", files("part", owners))
}

/// Runs all steps, and checks refusals on the way, which name the owner.
#[test]
fn three_owners_decrypt_together_what_none_can_alone() {
    let here = with_shares("--bits 4 --insecure-toy");
    let commitment = here.read("ann.commitment");
    here.refuses(&agree("ann", &["ann", "bob"], &OWNERS), "the commitment of owner 3 is missing");
    let message = here.fail(&agree("ann", &["ann", "bob", "eve", "bob"], &OWNERS));
    assert!(message.contains("two messages of owner 2, each the commitment"), "{message}");
    here.refuses(&agree("ann", &OWNERS, &["ann", "eve"]), "the first share of owner 2 is missing");
    assert!(!here.path("ann.second").exists());
    let ids = OWNERS.map(|owner| {
        let text = here.succeed(&format!("--json {} --force", agree(owner, &OWNERS, &OWNERS)));
        text.split("\"key_id\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    });
    assert!(ids[0] == ids[1] && ids[1] == ids[2], "{ids:?}");
    // A duplicate of the same share is refused.
    let second = here.read("ann.second");
    here.succeed(&format!("{} --force", agree("ann", &["eve", "bob", "ann"], &OWNERS)));
    assert!(here.read("ann.second") == second);

    here.refuses(&combine(&["ann", "bob"]), "the second share of owner 3 is missing");
    assert!(!here.path("public.key").exists() && !here.path("bits.key").exists());
    here.succeed(&combine(&OWNERS));
    let text = here.succeed("inspect session ann.first");
    assert!(text.contains("a session of several owners of packed values"), "{text}");

    let ages: Vec<u64> = (0..100).map(|i| i * 7 % 16).collect();
    look_up(&here, 16, &ages, "");
    here.refuses(&decrypt(&["ann", "eve"]), "the partial decryption of owner 2 is missing");
    here.refuses(&decrypt(&["ann", "bob", "bob", "eve"]), "two messages of owner 2");
    assert!(!here.path("out.csv").exists());
    here.succeed(&decrypt(&["eve", "ann", "bob"]));
    let expected = numbers(ages.iter().map(|&age| risk(age) % 8));
    assert_eq!(here.read("out.csv"), expected.as_bytes());

    any_three_of_five(&here, "risks.joint", &expected);
    refuse_other_holders(&here);

    // Two of three are enough with a copy of the third secret, which writes the same part.
    std::fs::copy(here.path("ann.secret"), here.path("copy.secret")).unwrap();
    here.succeed("decrypt --secret copy.secret --input risks.joint --output copy.part");
    assert!(here.read("copy.part") == here.read("ann.part"));

    // Parts of other results, or of other numbers than those of the others.
    here.succeed(
        "decrypt --secret bob.secret --input risks.joint --output bob.part --log2-distance -45",
    );
    here.refuses(&decrypt(&OWNERS), "plan of partial decryptions");
    let (part, result) = (here.read("eve.part"), here.read("risks.joint"));
    look_up(&here, 16, &ages[..50], "");
    here.write("eve.part", part);
    let message = here.fail(&decrypt(&OWNERS));
    assert!(
        message.contains("the partial decryption of owner 3 belongs to the ciphertext"),
        "{message}"
    );
    assert!(here.read("risks.joint") != result);

    // A whole secret key cannot take part, and weak flooding is refused.
    let weak =
        "decrypt --secret bob.secret --input risks.joint --output bob.part --log2-distance -20";
    here.strict_command(weak).assert().code(2);
    here.refuses("decrypt --secret bob.secret --input ages.ct --output bob.part", "ages.ct");

    // An owner who has agreed does not agree to other commitments.
    share(&here, "mallory", 2);
    let message = here.fail(&agree("ann", &["ann", "mallory", "eve"], &["ann", "mallory", "eve"]));
    assert!(message.contains("ann.second exists"), "{message}");
    let again = agree("ann", &["ann", "mallory", "eve"], &["ann", "mallory", "eve"]);
    here.refuses(&format!("{again} --force"), "agreed to other commitments before");
    assert!(here.read("ann.commitment") == commitment && here.read("ann.second") == second);
    let message = here.fail(
        "owners share --session session --owner 4 --secret x --commitment y --first z --keys w",
    );
    assert!(message.contains("owner 4") && !here.path("x").exists(), "{message}");
    let message = here.fail(
        "owners share --session session --owner 1 --secret ann.secret --commitment y --first z --keys w",
    );
    assert!(message.contains("ann.secret exists"), "{message}");
}

#[test]
#[ignore = "slow: run by make test-all"]
fn three_owners_decrypt_together_at_full_size() {
    let here = with_shares("--bits 8 --output-bits 3");
    OWNERS.iter().for_each(|owner| drop(here.succeed(&agree(owner, &OWNERS, &OWNERS))));
    here.succeed(&combine(&OWNERS));
    let ages: Vec<u64> = (0..65_536 + 1000).map(|i| i * 31 % 256).collect();
    look_up(&here, 256, &ages, "--log2-distance -64 --decryptions 64");
    here.succeed(&decrypt(&OWNERS));
    let expected = numbers(ages.iter().map(|&age| risk(age) % 8));
    assert_eq!(here.read("out.csv"), expected.as_bytes());
    any_three_of_five(&here, "risks.joint", &expected);
    println!(
        "{}",
        here.shell_succeeds("ls -l *.first *.keys *.second *.key *.joint *.part *.secret ann.to1")
    );
}
