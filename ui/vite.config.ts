import { svelte } from "@sveltejs/vite-plugin-svelte";
import { svelteTesting } from "@testing-library/svelte/vite";
import { defineConfig } from "vitest/config";

export default defineConfig({
  // The page is served from the root of a browser host and from a custom scheme by the shell.
  base: "./",
  plugins: [svelte(), svelteTesting()],
  build: {
    // The oldest web views the shell runs in: Safari 16.4 (macOS 13), WebKitGTK 2.40, Chrome 111.
    target: ["safari16.4", "chrome111"],
    // Every supported web view knows module preload; the polyfill would only be weight.
    modulePreload: { polyfill: false },
  },
  server: {
    // `npm run dev` against a running browser host, for example BECKON_HOST=http://127.0.0.1:7118
    proxy: process.env.BECKON_HOST ? { "/host": { target: process.env.BECKON_HOST, ws: true } } : {},
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.ts"],
  },
});
