import { sql, type SqlBool } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import { MAINTAINER } from '../../../policy/levels.ts'
import { listRunners, type RunnerFilter } from './list.ts'
import { managersOf } from './managers.ts'
import { maySee, runnersOf } from './rights.ts'
import { findRunner } from './service.ts'
import type { ManagerRow, RunnerRow } from './store.ts'
import { showRunner, type RunnerDetailsView } from './views.ts'

interface Page {
  readonly limit: number
  readonly offset: number
}

/** All runners there are, for administrators. */
export function allRunners(ctx: Ctx, filter: RunnerFilter, page: Page) {
  return listRunners(ctx, sql<SqlBool>`1`, filter, page)
}

/** Runners of the projects and groups that somebody maintains. */
export function ownRunners(ctx: Ctx, filter: RunnerFilter, page: Page) {
  return listRunners(ctx, runnersOf(ctx, MAINTAINER), filter, page)
}

/** A runner that the reader may see. Throws 404, and the 403 of the contract. */
export function readRunner(ctx: Ctx, id: number): RunnerRow {
  const row = findRunner(ctx, id)
  if (!maySee(ctx, row)) throw fail('forbidden', '403 Forbidden - No access granted')
  return row
}

/** A runner by itself. */
export function getRunner(ctx: Ctx, id: number): RunnerDetailsView {
  return showRunner(ctx, readRunner(ctx, id))
}

/** The processes that use the token of a runner. */
export function managersSeen(ctx: Ctx, id: number, page: Page): { rows: ManagerRow[]; total: number } {
  const all = managersOf(ctx.db, readRunner(ctx, id).id)
  return { rows: all.slice(page.offset, page.offset + page.limit), total: all.length }
}
