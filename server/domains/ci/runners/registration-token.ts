import { timingSafeEqual } from 'node:crypto'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { GroupUpdated } from '../../groups/events.ts'
import type { Group } from '../../groups/index.ts'
import { newRegistrationToken, updateNamespace } from '../../namespaces/index.ts'
import { ProjectUpdated } from '../../projects/events.ts'
import { updateProjectRow, type Project } from '../../projects/index.ts'
import {
  groupIdByRegistrationToken,
  projectIdByRegistrationToken,
  runnerSettings,
  setRunnerSettings,
} from './store.ts'

const PURPOSE = 'runner_settings.registration_token'
const TOKEN_LENGTH = 20

/** The scope of a runner: the instance, a project or a group. */
export type RunnerScope =
  | { readonly runner_type: 'instance_type' }
  | { readonly runner_type: 'project_type'; readonly project_id: number }
  | { readonly runner_type: 'group_type'; readonly group_id: number }

/** The registration token of the instance. It is created when it is first needed. */
export function instanceRegistrationToken(ctx: Ctx): string {
  return storedToken(ctx) ?? resetInstanceToken(ctx)
}

function storedToken({ db, secrets }: Pick<Ctx, 'db' | 'secrets'>): string | undefined {
  const sealed = runnerSettings(db)?.registration_token
  return sealed ? secrets.open(sealed, PURPOSE).toString() : undefined
}

/** Resets the registration token of the instance. Registered runners are not affected. */
export function resetInstanceToken(ctx: Ctx): string {
  const token = ctx.random.token(TOKEN_LENGTH)
  const registration_token = ctx.secrets.seal(token, PURPOSE)
  tx(ctx.db, () => setRunnerSettings(ctx, { registration_token }))
  return token
}

/** Resets the registration token of a project. */
export function resetProjectToken(ctx: Ctx, project: Project): string {
  const { token, columns } = newRegistrationToken(ctx)
  tx(ctx.db, () => {
    updateProjectRow(ctx.db, project.id, columns)
    publish(ctx, ProjectUpdated, {
      project_id: project.id,
      actor_id: ctx.actor.id,
      changed: ['runners_token'],
    })
  })
  return token
}

/** Resets the registration token of a group. */
export function resetGroupToken(ctx: Ctx, group: Group): string {
  const { token, columns } = newRegistrationToken(ctx)
  tx(ctx.db, () => {
    updateNamespace(ctx.db, group.id, columns)
    publish(ctx, GroupUpdated, { group_id: group.id, actor_id: ctx.actor.id, changed: ['runners_token'] })
  })
  return token
}

/**
 * Returns the scope of a registration token (spec ci 1.3). Undefined for an unknown token.
 */
export function scopeOfRegistrationToken(ctx: Ctx, token: string): RunnerScope | undefined {
  if (token === '') return undefined
  const current = storedToken(ctx)
  if (current !== undefined && isSame(current, token)) return { runner_type: 'instance_type' }
  const digest = tokenDigest(token)
  const project_id = projectIdByRegistrationToken(ctx.db, digest)
  if (project_id !== undefined) return { runner_type: 'project_type', project_id }
  const group_id = groupIdByRegistrationToken(ctx.db, digest)
  return group_id === undefined ? undefined : { runner_type: 'group_type', group_id }
}

function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(tokenDigest(a)), Buffer.from(tokenDigest(b)))
}
