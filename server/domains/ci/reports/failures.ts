import type { Ctx } from '../../../ctx.ts'
import { addDays } from '../../../lib/clock.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import type { TestCase } from './junit.ts'

/** Days for which failures on the default branch are counted (spec ci 2.12). */
const DAYS = 14

/** Failures of one job that are stored and looked up; with more of them the cause is not one test. */
export const MOST_FAILURES = 200

/** Identifies a test among those of its project. */
export function keyOf(suite: string, test: Pick<TestCase, 'classname' | 'name'>): string {
  return tokenDigest(`${suite}\0${test.classname}\0${test.name}`)
}

/** The moment since which failures count. */
export function failuresSince(ctx: Pick<Ctx, 'now'>): string {
  return addDays(ctx.now, -DAYS)
}

const COPY = /[\s:]+\d+[\s:/\\]+\d+\s*$/

/** Suite name of the tests of a job: copies of one job (`rspec 1/3`) share one, those of a matrix do not (spec ci 2.12). */
export function suiteName(job: { readonly name: string; readonly in_matrix: boolean }): string {
  return job.in_matrix ? job.name : job.name.replace(COPY, '').trim() || job.name
}
