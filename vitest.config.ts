import { fileURLToPath } from 'node:url'

import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The crash test takes longest and mostly waits, so it begins first and the others run during its pauses. */
class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isFirst = ({ project }: TestSpecification) => project.name === 'process'
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))]
  }
}

const shared = {
  // Forks rather than threads: the SQLite binding and long git processes want a process of their own.
  pool: 'forks' as const,
  // Generous: several lanes of `npm test` share the processors.
  testTimeout: 90_000,
  expect: { poll: { timeout: 60_000 } },
  hookTimeout: 120_000,
}

/** Tests that take long and rarely fail; `npm run test:deep` runs them. */
const DEEP = 'test/**/*.deep.test.ts'

// What threads and helpers load is compiled once, not at each of their hundreds of starts.
const COMPILED = { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/tests', import.meta.url)) }

export default defineConfig({
  test: {
    // One more than the processors of the smallest machine: tests wait for programs, timers and the disk.
    maxWorkers: 3,
    sequence: { sequencer: ProcessesFirst },
    projects: [
      {
        test: {
          ...shared,
          name: 'node',
          // Files of one worker share the loaded code, which is half of their time; each has an instance of its own.
          isolate: false,
          environment: 'node',
          setupFiles: ['test/support/setup.ts'],
          env: COMPILED,
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
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
      {
        // The same for tests that `npm test` leaves out.
        test: {
          ...shared,
          name: 'deep',
          isolate: false,
          setupFiles: ['test/support/setup.ts'],
          environment: 'node',
          env: COMPILED,
          include: [DEEP],
          exclude: ['test/process/**'],
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'deep-process',
          setupFiles: ['test/support/setup.ts'],
          environment: 'node',
          include: ['test/process/**/*.deep.test.ts'],
          globalSetup: ['test/support/build.ts'],
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
})
