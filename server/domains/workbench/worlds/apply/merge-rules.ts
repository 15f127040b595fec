import { findProject } from '../../../projects/index.ts'
import type { WorldProject } from '../model/schema.ts'
import type { Stage } from './stage.ts'

/** Settings that could refuse a merge that the world contains, with values that refuse none. */
const RULES = {
  only_allow_merge_if_pipeline_succeeds: false,
  only_allow_merge_if_all_discussions_are_resolved: false,
  approvals_before_merge: 0,
} as const

type Rule = keyof typeof RULES

/** Merges without the rules of the project, which may be newer than the merge and apply again afterwards. */
export async function withoutMergeRules(
  stage: Stage,
  id: number,
  merge: () => Promise<unknown>,
): Promise<void> {
  const project = findProject(stage.ctx, String(id))!
  const strict = (Object.keys(RULES) as Rule[]).filter((name) => project[name] !== RULES[name])
  const change = (value: (name: Rule) => unknown) =>
    stage.call(stage.as(undefined), 'PUT /projects/:id', {
      id,
      ...Object.fromEntries(strict.map((name) => [name, value(name)])),
    })
  if (strict.length > 0) await change((name) => RULES[name])
  try {
    await merge()
  } finally {
    if (strict.length > 0) await change((name) => project[name])
  }
}

/** Restores the settings that an interrupted application left disabled. */
export async function resumeMergeRules(stage: Stage, world: WorldProject, id: number): Promise<void> {
  const { settings = {}, merge_requests = [] } = world
  if (!merge_requests.some(({ state }) => state === 'merged')) return
  const project = findProject(stage.ctx, String(id))!
  const lost = (Object.keys(RULES) as Rule[]).filter(
    (name) => name in settings && settings[name] !== RULES[name] && project[name] === RULES[name],
  )
  if (lost.length === 0) return
  await stage.call(stage.as(undefined), 'PUT /projects/:id', {
    id,
    ...Object.fromEntries(lost.map((name) => [name, settings[name]])),
  })
}
