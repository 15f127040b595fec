import { expect } from 'vitest'

import type { Ended } from './server-process.ts'

/** The arguments of an instance on this data folder and any free port. */
export function onAnyPort(dataDir: string): string[] {
  return ['--data-dir', dataDir, '--port', '0']
}

/** Expects one sentence on standard error and no stack, that exit code, and that the instance was never ready. */
export function expectOneSentence(ended: Ended, pattern: RegExp, code = 1): void {
  expect(ended.stderr).toMatch(pattern)
  expect(ended.stderr.trim().split('\n')).toHaveLength(1)
  expect(ended.stderr.trim()).toMatch(/\.$/)
  expect(ended.stdout).not.toContain('ready')
  expect(ended.code).toBe(code)
}
