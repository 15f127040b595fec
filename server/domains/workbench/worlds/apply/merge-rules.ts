import { findProject } from '../../../projects/index.ts'
import type { WorldProject } from '../model/schema.ts'
import type { ApplyRun } from './apply-run.ts'

/** Settings that can refuse a merge, with the values that refuse none. */
const PERMISSIVE = {
  only_allow_merge_if_pipeline_succeeds: false,
  only_allow_merge_if_all_discussions_are_resolved: false,
  approvals_before_merge: 0,
} as const

type Rule = keyof typeof PERMISSIVE

/**
 * Runs `merge` while the merge rules of the project are off, because the rules may be newer than the merge. Restores them
 * afterwards.
 */
export async function withoutMergeRules(
  run: ApplyRun,
  id: number,
  merge: () => Promise<unknown>,
): Promise<void> {
  const project = findProject(run.ctx, String(id))!
  const strict = (Object.keys(PERMISSIVE) as Rule[]).filter((name) => project[name] !== PERMISSIVE[name])
  const change = (value: (name: Rule) => unknown) =>
    run.call(run.contextOf(undefined), 'PUT /projects/:id', {
      id,
      ...Object.fromEntries(strict.map((name) => [name, value(name)])),
    })
  if (strict.length > 0) await change((name) => PERMISSIVE[name])
  try {
    await merge()
  } finally {
    if (strict.length > 0) await change((name) => project[name])
  }
}

/** Restores the settings that a run left disabled because it was interrupted. */
export async function resumeMergeRules(run: ApplyRun, world: WorldProject, id: number): Promise<void> {
  const { settings = {}, merge_requests = [] } = world
  if (!merge_requests.some(({ state }) => state === 'merged')) return
  const project = findProject(run.ctx, String(id))!
  const disabled = (Object.keys(PERMISSIVE) as Rule[]).filter(
    (name) => name in settings && settings[name] !== PERMISSIVE[name] && project[name] === PERMISSIVE[name],
  )
  if (disabled.length === 0) return
  await run.call(run.contextOf(undefined), 'PUT /projects/:id', {
    id,
    ...Object.fromEntries(disabled.map((name) => [name, settings[name]])),
  })
}
