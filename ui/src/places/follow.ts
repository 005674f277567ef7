/** Within this distance of the end, in pixels, the person is reading the newest. */
const NEAR = 48;

/**
 * Keeps a timeline at its end while the person is there: on opening, and when something is added. But the top of the
 * oldest open card stays in view: a question is read from its beginning.
 */
export function followEnd(scroller: HTMLElement): () => void {
  let following = true;
  let height = 0;

  const toEnd = () => {
    const end = scroller.scrollHeight - scroller.clientHeight;
    const open = scroller.querySelector<HTMLElement>("article.card");
    const top = open
      ? scroller.scrollTop + open.getBoundingClientRect().top - scroller.getBoundingClientRect().top
      : end;
    scroller.scrollTop = Math.min(end, Math.max(0, top - 16));
  };

  const onScroll = () => {
    // A scroll that comes from the content growing is not the person's.
    if (scroller.scrollHeight !== height) return;
    following = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop < NEAR;
  };

  const watch = new ResizeObserver(() => {
    // A card that grows under the person's hands must not move.
    const busy = document.activeElement?.closest("article.card") != null;
    if (scroller.scrollHeight > height && following && !busy) toEnd();
    height = scroller.scrollHeight;
  });

  for (const child of scroller.children) watch.observe(child);
  scroller.addEventListener("scroll", onScroll, { passive: true });
  return () => {
    watch.disconnect();
    scroller.removeEventListener("scroll", onScroll);
  };
}
