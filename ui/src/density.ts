/** Rows for a thumb or for a pointer: by what points, not by how wide the screen is. */
export function followPointer(root: HTMLElement): void {
  const coarse = matchMedia("(pointer: coarse)");
  const set = () => (root.dataset.density = coarse.matches ? "touch" : "pointer");
  coarse.addEventListener("change", set);
  set();
}
