import { createSubscriber } from "svelte/reactivity";

const SECOND = 1000;

// One timer for every countdown on the screen, aligned to the second so that none of them skips a digit.
const ticked = createSubscriber((update) => {
  let timer: ReturnType<typeof setTimeout>;
  const tick = () => {
    update();
    timer = setTimeout(tick, SECOND - (Date.now() % SECOND));
  };
  timer = setTimeout(tick, SECOND - (Date.now() % SECOND));
  // Timers of a hidden page are held back; the time shown on return must not be an old one.
  document.addEventListener("visibilitychange", update);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", update);
  };
});

/** This computer's time in milliseconds; whoever shows it is brought up to date each second. */
export function now(): number {
  ticked();
  return Date.now();
}
