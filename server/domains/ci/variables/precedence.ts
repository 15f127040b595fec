import type { Ctx } from '../../../ctx.ts'
import { covers, specificity } from '../../../lib/environment-scope.ts'
import type { Project } from '../../projects/index.ts'
import { openVariable } from './sealing.ts'
import * as store from './store.ts'
import type { VariableRow } from './store.ts'

/** For what a pipeline or job needs variables. */
export interface VariableUse {
  /** True on a protected branch or tag: only there protected variables hold. */
  readonly isProtected: boolean
  /** Name of the environment that a job works for, with its own variables already put in. */
  readonly environment?: string | undefined
}

/** A variable that is handed to a pipeline. */
export interface GivenVariable {
  readonly key: string
  readonly value: string
  readonly isFile: boolean
  readonly isMasked: boolean
  readonly isRaw: boolean
}

/**
 * The variables that the instance, the groups and the project set, one for each key: the project's before those of its
 * groups, an inner group's before an outer one's, those before the instance's; among the same the more specific
 * environment scope (spec ci 2.14).
 */
export function variablesFor(
  ctx: Pick<Ctx, 'db' | 'secrets'>,
  project: Pick<Project, 'id' | 'lineage'>,
  use: VariableUse,
): GivenVariable[] {
  const groups = JSON.parse(project.lineage) as number[]
  const rank = (row: VariableRow): number => {
    if (row.project_id !== null) return groups.length + 1
    return row.group_id === null ? 0 : groups.indexOf(row.group_id) + 1
  }
  const holding = store
    .around(ctx.db, project.id, groups)
    .filter((row) => (!row.protected || use.isProtected) && covers(row.environment_scope, use.environment))
  const byStrength = holding.toSorted((a, b) => rank(a) - rank(b) || bySpecificity(a, b) || a.id - b.id)
  // The last of a key is the strongest.
  const chosen = new Map(byStrength.map((row) => [row.key, row]))
  return [...chosen.values()].map((row) => given(ctx, row))
}

function bySpecificity(a: VariableRow, b: VariableRow): number {
  const [one, other] = [specificity(a.environment_scope), specificity(b.environment_scope)]
  return one === other ? 0 : one - other
}

function given(ctx: Pick<Ctx, 'secrets'>, row: VariableRow): GivenVariable {
  return {
    key: row.key,
    value: openVariable(ctx, row).value,
    isFile: row.variable_type === 'file',
    isMasked: row.masked,
    isRaw: row.raw,
  }
}
