/**
 * Tells whether the sticky neighbour of this empty element is stuck to that edge of its scroller: the element marks
 * where the neighbour would lie if it were not sticky.
 */
export function stuckAt(edge: "top" | "bottom", onChange: (stuck: boolean) => void) {
  return (mark: HTMLElement) => {
    // Not in the unit tests' DOM.
    if (typeof IntersectionObserver === "undefined") return;
    const watch = new IntersectionObserver(
      ([entry]) => {
        const edges = entry?.rootBounds;
        if (!entry || !edges) return;
        const { top, bottom } = entry.boundingClientRect;
        onChange(!entry.isIntersecting && (edge === "top" ? top < edges.top : bottom > edges.bottom));
      },
      { root: mark.closest(".scroll"), threshold: 1 },
    );
    watch.observe(mark);
    return () => watch.disconnect();
  };
}
