import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Vitest global setup: tests of whole processes run what people run, so the build must be current. */
export function setup(): void {
  const script = fileURLToPath(new URL('../../scripts/ensure-build.mjs', import.meta.url))
  execFileSync(process.execPath, [script], { stdio: 'inherit' })
}

/** The same for Playwright, which calls the module's default export. */
export default setup
