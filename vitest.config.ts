import { fileURLToPath } from 'node:url'

import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'

const shared = {
  // Forks rather than threads: the SQLite binding and long git processes want a process of their own.
  pool: 'forks' as const,
  // Generous: several lanes of `npm test` share the processors.
  testTimeout: 40_000,
  expect: { poll: { timeout: 10_000 } },
  hookTimeout: 60_000,
}

/** Tests of minutes; `npm run test:deep` runs them. */
const DEEP = 'test/**/*.deep.test.ts'

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...shared,
          name: 'node',
          // Files of one worker share the loaded code, which is half of their time; each has an instance of its own.
          isolate: false,
          environment: 'node',
          setupFiles: ['test/support/setup.ts'],
          // What threads and helpers load is compiled once, not at each of their hundreds of starts.
          env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/tests', import.meta.url)) },
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/renderer/**', 'test/process/**', 'test/bench/**', DEEP],
        },
      },
      {
        plugins: [vue()],
        test: {
          ...shared,
          name: 'renderer',
          // As above; mounted components are unmounted by their tests.
          isolate: false,
          environment: 'happy-dom',
          include: ['test/renderer/**/*.test.ts'],
        },
      },
      {
        // Starts built instances and packs the application: slower.
        test: {
          ...shared,
          name: 'process',
          setupFiles: ['test/support/setup.ts'],
          environment: 'node',
          include: ['test/process/**/*.test.ts'],
          exclude: [DEEP],
          globalSetup: ['test/support/build.ts'],
          testTimeout: 60_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'deep',
          setupFiles: ['test/support/setup.ts'],
          environment: 'node',
          include: [DEEP],
          globalSetup: ['test/support/build.ts'],
          testTimeout: 60_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
})
