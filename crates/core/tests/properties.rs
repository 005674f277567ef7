//! Properties: whatever happens between a gateway, a Mac and a phone, in whatever order, the promises hold.
//!
//! [`game::Game`] plays random moves and keeps its own simple record of what people did and what the gateway accepted;
//! that record and the model gateway are what the devices are compared with. More cases: `PROPTEST_CASES=10000`.

#[cfg(test)]
#[path = "properties/game.rs"]
mod game;
#[cfg(test)]
#[path = "properties/moves.rs"]
mod moves;
#[cfg(test)]
mod support;

#[cfg(test)]
mod properties {
    use proptest::prelude::*;
    use proptest::test_runner::FileFailurePersistence;

    use crate::game::Game;
    use crate::moves::{Move, moves, race};
    use crate::support::gateway::{Rules, Truth};
    use crate::support::room::{MAC, MINUTES_15, PHONE};

    fn rules() -> impl Strategy<Value = Rules> {
        prop::sample::select(vec![Rules::OpenClaw, Rules::BuiltIn])
    }

    /// That many times the usual number of cases; failures are kept beside this file.
    fn config(times: u32) -> ProptestConfig {
        let persistence = FileFailurePersistence::WithSource("regressions");
        let usual = ProptestConfig::default();
        ProptestConfig { failure_persistence: Some(Box::new(persistence)), cases: times * usual.cases, ..usual }
    }

    proptest! {
        #![proptest_config(config(2))]

        /// In the same millisecond, around the deadline, with lines that break: one outcome, the same for everyone.
        #[test]
        fn a_race_has_one_winner(
            rules in rules(),
            event_first: bool,
            same: bool,
            before_deadline in 0u64..3,
            moves in race(),
        ) {
            let mut game = Game::new(rules);
            game.room.home().event_first = event_first;
            game.play(Move::Ask("a"));
            game.play(Move::Settle);
            game.play(Move::Choose(MAC, "a", 0));
            game.play(Move::Choose(PHONE, "a", u32::from(!same)));
            game.room.wait(MINUTES_15 - before_deadline);
            for what in moves {
                game.play(what);
            }
            game.heal();
            game.check_healed();
            prop_assert_ne!(game.room.home().truth("a"), Truth::Open);
        }
    }

    proptest! {
        #![proptest_config(config(2))]

        #[test]
        fn every_device_ends_up_with_the_gateways_truth(
            rules in rules(),
            event_first: bool,
            moves in prop::collection::vec(moves(), 1..80),
        ) {
            let mut game = Game::new(rules);
            game.room.home().event_first = event_first;
            game.play(Move::Ask("a"));
            game.play(Move::Ask("b"));
            game.play(Move::Settle);
            for what in moves {
                game.play(what);
            }
            game.heal();
            game.check_healed();
        }
    }
}
