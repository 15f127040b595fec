import { setImmediate } from 'node:timers/promises'

import type { Ctx } from '../../../ctx.ts'
import { addDays } from '../../../lib/clock.ts'
import { tokenDigest } from '../../../lib/crypto.ts'
import type { TestCase } from './junit/suite.ts'
import * as store from './store.ts'

/** Days for which failures on the default branch are counted (spec ci 2.12). */
const DAYS = 14
/** Failures of one job that are noted and looked up: with more of them something else is wrong. */
export const MOST_FAILURES = 200
const BATCH = 500

/** What tells a test from others of its project. */
export function keyOf(suite: string, test: Pick<TestCase, 'classname' | 'name'>): string {
  return tokenDigest(`${suite}\0${test.classname}\0${test.name}`)
}

/** The moment from which on failures count. */
export function since(ctx: Pick<Ctx, 'now'>): string {
  return addDays(ctx.now, -DAYS)
}

/** Forgets failures that count no more; called by the clock. */
export async function forgetOld(ctx: Ctx): Promise<void> {
  while (store.forgetFailures(ctx.db, since(ctx), BATCH) === BATCH) await setImmediate()
}
