import { z } from 'zod'

import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { param, refuse } from '../../../http/param.ts'
import { int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { Pipeline } from '../pipelines/entity.ts'
import { abilities } from '../policy.ts'
import {
  createTrigger,
  findTrigger,
  listTriggers,
  removeTrigger,
  showTrigger,
  updateTrigger,
  startByToken,
  type TriggerView,
} from './service.ts'
import { entity, time, row } from '../../../http/entity.ts'
import { UserBasic } from '../../users/entity.ts'

/** A trigger. Its token starts pipelines (spec ci 2.8). */
const Trigger = entity(
  'Trigger',
  {
    id: z.int(),
    token: z.string(),
    description: z.string(),
    created_at: time(),
    updated_at: time(),
    last_used: time().nullable(),
    owner: UserBasic.schema.nullable(),
  },
  row((view: TriggerView) => view.row),
  ({ row, token, owner }, at) => ({
    token,
    last_used: row.last_used_at,
    owner: owner && UserBasic.present(owner, at),
  }),
)

const access = { scope: project, can: abilities.manage_triggers } as const
const trigger_id = int({ min: 1 }).describe('The ID of the trigger')
const description = text().describe('The description, at most 255 characters')

export const list = endpoint('GET /projects/:id/triggers', {
  ...access,
  summary: 'List project triggers',
  returns: page(Trigger),
  run: ({ project: owner, paging, ...ctx }) => listTriggers(ctx, owner, paging),
})

export const get = endpoint('GET /projects/:id/triggers/:trigger_id', {
  ...access,
  summary: 'Get a single trigger',
  params: { trigger_id },
  fails: { 404: 'Trigger' },
  returns: ok(Trigger),
  run: ({ project: owner, params, ...ctx }) => showTrigger(ctx, findTrigger(ctx, owner, params.trigger_id)),
})

export const create = endpoint('POST /projects/:id/triggers', {
  ...access,
  summary: 'Create a trigger',
  params: { description },
  fails: { 400: 'The description is blank or too long' },
  returns: created(Trigger),
  run: ({ project: owner, params, ...ctx }) =>
    showTrigger(ctx, createTrigger(ctx, owner, params.description)),
})

export const update = endpoint('PUT /projects/:id/triggers/:trigger_id', {
  ...access,
  summary: 'Update a trigger',
  params: { trigger_id, description: description.optional() },
  fails: {
    400: 'The description is blank or too long',
    403: 'The trigger belongs to another user',
    404: 'Trigger',
  },
  returns: ok(Trigger),
  run: ({ project: owner, params, ...ctx }) =>
    showTrigger(ctx, updateTrigger(ctx, owner, params.trigger_id, params.description)),
})

export const remove = endpoint('DELETE /projects/:id/triggers/:trigger_id', {
  ...access,
  summary: 'Delete a trigger',
  params: { trigger_id },
  fails: { 404: 'Trigger', 412: 'The trigger has been changed since `If-Unmodified-Since`' },
  returns: noContent,
  run: ({ project: owner, params, http, ...ctx }) => {
    const trigger = findTrigger(ctx, owner, params.trigger_id)
    http.unmodifiedSince(trigger.updated_at)
    removeTrigger(ctx, trigger)
  },
})

/** The `variables` parameter. `startByToken` checks the values, because the contract has an error message for them. */
const variables = param<Record<string, unknown>>(
  { type: 'object', additionalProperties: { type: 'string' } },
  (raw) =>
    typeof raw === 'object' && raw !== null && !Array.isArray(raw)
      ? { ...(raw as Record<string, unknown>) }
      : refuse('is invalid'),
)

/** Declares the endpoint for one of its two paths. The path for webhooks contains the ref. */
function pull(route: `POST /${string}`): Endpoint {
  return endpoint(route, {
    summary: 'Trigger a pipeline with a trigger token or a job token',
    can: 'anyone',
    ignoresCredentials: true,
    params: {
      id: text({ max: 1100 }).describe('The ID or URL-encoded path of the project'),
      ref: text({ max: 1100 }).describe('The branch or tag'),
      token: text({ max: 1100 }).describe('The trigger token, or the token of a running CI job'),
      variables: variables.default({}).describe('The variables by key. They have the highest precedence'),
    },
    fails: {
      400: 'The ref does not exist, the configuration is invalid, or its rules create no pipeline',
      401: 'The job of the token is not running',
      403: 'The user of the job is blocked',
      404: 'The token does not belong to a trigger of this project',
    },
    returns: created(Pipeline),
    run: ({ params, http, ...ctx }) =>
      startByToken(ctx, {
        project: params.id,
        ref: params.ref,
        token: params.token,
        variables: params.variables,
        payload: http.rawParams,
      }),
  })
}

export const pulls = [
  pull('POST /projects/:id/trigger/pipeline'),
  pull('POST /projects/:id/ref/:ref/trigger/pipeline'),
]
