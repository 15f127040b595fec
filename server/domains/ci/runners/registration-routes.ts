import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { choice, int, text } from '../../../http/params.ts'
import { created, noContent, ok } from '../../../http/returns.ts'
import { Failure, fail } from '../../../lib/fail.ts'
import { canRead, hasAbility } from '../../../policy/ability.ts'
import { wrongCredential } from '../../auth/index.ts'
import { findGroup, group } from '../../groups/index.ts'
import { findProject, project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { runnerInfo } from '../runner_protocol/routes.ts'
import { recordVerification, runnerByToken } from './contact.ts'
import { active, notBoth, runnerToken, settings, settingsIn, systemId } from './params.ts'
import { abilities, groupAbilities } from '../policy.ts'
import {
  instanceRegistrationToken,
  scopeOfRegistrationToken,
  resetInstanceToken,
  type RunnerScope,
} from './registration-token.ts'
import { withSingleMessage, type RunnerFields } from './validation.ts'
import {
  removeRunnerManager,
  createRunner,
  removeRunner,
  resetRunnerToken,
  type CreatedRunner,
} from './service.ts'
import { RUNNER_TYPES, type RunnerRow, type RunnerType } from './store.ts'
import { ResetToken, RunnerCredentials } from './entity.ts'

const info = runnerInfo().optional().describe('The version and features of the runner')
const note = text().optional().describe('Deprecated name of `maintenance_note`')

/** Returns the runner with a token. Throws 403 for an invalid token. */
function findByToken(ctx: Ctx, token: string): RunnerRow {
  const runner = runnerByToken(ctx, token)
  if (!runner) throw wrongCredential(ctx, token, fail('forbidden'))
  return runner
}

/** Whether runners of this type may be registered. The settings can forbid it for projects and groups. */
function mayRegister(ctx: Ctx, { runner_type }: RunnerScope): boolean {
  if (runner_type === 'instance_type') return true
  const { valid_runner_registrars } = settingsOf(ctx)
  return valid_runner_registrars.includes(runner_type === 'group_type' ? 'group' : 'project')
}

const REGISTRATION_DISALLOWED = new Failure('gone', undefined, {
  body: { message: '410 Gone - runner registration disallowed' },
})

export const registerRunner = endpoint('POST /runners', {
  summary: 'Register a runner with a registration token',
  can: 'anyone',
  ignoresCredentials: true,
  params: {
    token: text({ max: 1024 }).describe('The registration token'),
    ...settings,
    active,
    maintainer_note: note,
    info,
  },
  parameterRules: [notBoth],
  fails: {
    400: 'The errors of each field',
    410: 'Registration tokens are disabled. Create the runner first to get its authentication token',
  },
  returns: created(RunnerCredentials),
  run: (ctx) => {
    if (!settingsOf(ctx).allow_runner_registration_token) throw REGISTRATION_DISALLOWED
    const { token, info, maintainer_note: old, ...params } = ctx.params
    const scope = scopeOfRegistrationToken(ctx, token)
    if (!scope) throw wrongCredential(ctx, token, fail('forbidden'))
    if (!mayRegister(ctx, scope)) throw fail('forbidden')
    const maintenance_note = params.maintenance_note ?? old
    const fields = settingsIn({ ...params, maintenance_note })
    return createRunner(ctx, { scope, origin: 'registered', fields, info, ip: ctx.http.ip })
  },
})

export const createUserRunner = endpoint('POST /user/runners', {
  summary: 'Create a runner',
  can: 'signed_in',
  token: ['create_runner'],
  params: {
    runner_type: choice(...RUNNER_TYPES).describe('The type of the runner'),
    group_id: int({ min: 1 }).optional().describe('The ID of the group, with `group_type`'),
    project_id: int({ min: 1 }).optional().describe('The ID of the project, with `project_type`'),
    ...settings,
  },
  fails: { 400: '400 Bad request - Missing/invalid scope' },
  returns: created(RunnerCredentials),
  run: (ctx) => {
    const { runner_type, group_id, project_id, ...params } = ctx.params
    return makeForUser(ctx, { runner_type, group_id, project_id }, settingsIn(params))
  },
})

export const verifyRunner = endpoint('POST /runners/verify', {
  summary: 'Verify the authentication of a runner',
  can: 'anyone',
  ignoresCredentials: true,
  params: { token: runnerToken, system_id: systemId.optional(), info },
  returns: ok(RunnerCredentials),
  run: (ctx) => {
    const { token, system_id, info } = ctx.params
    const runner = findByToken(ctx, token)
    recordVerification(ctx, runner, info, { system_id: system_id ?? null, ip: ctx.http.ip })
    return { id: runner.id, token, token_expires_at: runner.token_expires_at }
  },
})

export const unregisterRunner = endpoint('DELETE /runners', {
  summary: 'Delete a runner by its authentication token',
  can: 'anyone',
  ignoresCredentials: true,
  params: { token: runnerToken },
  returns: noContent,
  run: (ctx) => removeRunner(ctx, findByToken(ctx, ctx.params.token)),
})

export const unregisterManager = endpoint('DELETE /runners/managers', {
  summary: 'Delete a runner manager by its authentication token',
  can: 'anyone',
  ignoresCredentials: true,
  params: { token: runnerToken, system_id: systemId },
  returns: noContent,
  run: (ctx) => removeRunnerManager(ctx, findByToken(ctx, ctx.params.token), ctx.params.system_id),
})

export const resetOwnToken = endpoint('POST /runners/reset_authentication_token', {
  summary: 'Reset the authentication token of a runner by the current token',
  can: 'anyone',
  ignoresCredentials: true,
  params: { token: runnerToken },
  returns: created(ResetToken),
  run: (ctx) => resetRunnerToken(ctx, findByToken(ctx, ctx.params.token)),
})

export const resetRegistrationToken = endpoint('POST /runners/reset_registration_token', {
  summary: 'Reset the runner registration token of the instance',
  can: 'admin',
  returns: created(ResetToken),
  run: (ctx) => ({ token: resetInstanceToken(ctx) }),
})

/** The URL and the token with which runners are registered. */
export const RunnerRegistration = entity(
  'RunnerRegistration',
  { url: z.string(), token: z.string() },
  ({ token }: { readonly token: string }, at) => ({ url: at.url, token }),
)

export const getRegistration = endpoint('GET /-/runners/registration', {
  summary: 'Get the URL and token for registering runners',
  can: 'admin',
  returns: ok(RunnerRegistration),
  run: (ctx) => ({ token: instanceRegistrationToken(ctx) }),
})

/** The requested scope of a new runner. */
interface RequestedScope {
  readonly runner_type: RunnerType
  readonly group_id?: number | undefined
  readonly project_id?: number | undefined
}

/** Creates a runner as the actor (spec ci 1.4). Throws 403 without permission, and 400 with all errors in one sentence. */
function makeForUser(ctx: Ctx, requested: RequestedScope, fields: Partial<RunnerFields>): CreatedRunner {
  const scope = permittedScope(ctx, requested)
  return withSingleMessage(() => createRunner(ctx, { scope, origin: 'created', fields }))
}

function permittedScope(ctx: Ctx, { runner_type, group_id, project_id }: RequestedScope): RunnerScope {
  const invalidScope = fail('bad_request', '400 Bad request - Missing/invalid scope')
  if (runner_type === 'instance_type') {
    if (!ctx.actor.is_admin) throw fail('forbidden')
    return { runner_type }
  }
  if (runner_type === 'group_type') {
    const row = group_id === undefined ? undefined : findGroup(ctx, String(group_id))
    if (!row || !canRead(ctx, group, row)) throw invalidScope
    if (!hasAbility(ctx, group, groupAbilities.manage_group_runners, row, true)) throw fail('forbidden')
    return { runner_type, group_id: row.id }
  }
  const row = project_id === undefined ? undefined : findProject(ctx, String(project_id))
  if (!row || !canRead(ctx, project, row)) throw invalidScope
  if (!hasAbility(ctx, project, abilities.manage_project_runners, row, true)) throw fail('forbidden')
  return { runner_type, project_id: row.id }
}
