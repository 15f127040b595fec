import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { param, refuse } from '../../../http/param.ts'
import { int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { Pipeline } from '../pipelines/entity.ts'
import { Trigger } from './entity.ts'
import { abilities } from './policy.ts'
import { pullTrigger } from './pull.ts'
import {
  createTrigger,
  findTrigger,
  listTriggers,
  removeTrigger,
  showTrigger,
  updateTrigger,
} from './service.ts'

const at = { scope: project, can: abilities.manage_triggers } as const
const trigger_id = int({ min: 1 }).describe('Id of the trigger')
const description = text().describe('What it is for, at most 255 characters')

export const list = endpoint('GET /projects/:id/triggers', {
  ...at,
  summary: 'List the triggers of a project; tokens are shown to their owners',
  returns: page(Trigger),
  run: ({ project: owner, paging, ...ctx }) => listTriggers(ctx, owner, paging),
})

export const get = endpoint('GET /projects/:id/triggers/:trigger_id', {
  ...at,
  summary: 'Get a trigger',
  params: { trigger_id },
  fails: { 404: 'Trigger' },
  returns: ok(Trigger),
  run: ({ project: owner, params, ...ctx }) => showTrigger(ctx, findTrigger(ctx, owner, params.trigger_id)),
})

export const create = endpoint('POST /projects/:id/triggers', {
  ...at,
  summary: 'Add a trigger',
  params: { description },
  fails: { 400: 'The description is not acceptable' },
  returns: created(Trigger),
  run: ({ project: owner, params, ...ctx }) =>
    showTrigger(ctx, createTrigger(ctx, owner, params.description)),
})

export const update = endpoint('PUT /projects/:id/triggers/:trigger_id', {
  ...at,
  summary: 'Change what a trigger is for',
  params: { trigger_id, description: description.optional() },
  fails: { 400: 'The description is not acceptable', 403: 'It is somebody else’s', 404: 'Trigger' },
  returns: ok(Trigger),
  run: ({ project: owner, params, ...ctx }) =>
    showTrigger(ctx, updateTrigger(ctx, owner, params.trigger_id, params.description)),
})

export const remove = endpoint('DELETE /projects/:id/triggers/:trigger_id', {
  ...at,
  summary: 'Remove a trigger',
  params: { trigger_id },
  fails: { 404: 'Trigger', 412: 'It was changed since' },
  returns: noContent,
  run: ({ project: owner, params, http, ...ctx }) => {
    const found = findTrigger(ctx, owner, params.trigger_id)
    http.unmodifiedSince(found.updated_at)
    removeTrigger(ctx, found)
  },
})

/** Values are checked where the pipeline is made, which has a sentence of its own for them. */
const variables = param<Record<string, unknown>>(
  { type: 'object', additionalProperties: { type: 'string' } },
  (raw) =>
    typeof raw === 'object' && raw !== null && !Array.isArray(raw)
      ? { ...(raw as Record<string, unknown>) }
      : refuse('is invalid'),
)

/** Both forms of the address; that of webhooks has the ref in it. */
function pull(route: `POST /${string}`): Endpoint {
  return endpoint(route, {
    summary: 'Start a pipeline with the token of a trigger or of a running job',
    can: 'anyone',
    openly: true,
    params: {
      id: text({ max: 1100 }).describe('Id or full path of the project'),
      ref: text({ max: 1100 }).describe('Branch or tag'),
      token: text({ max: 1100 }).describe('Token of a trigger, or of a CI job that runs'),
      variables: variables.default({}).describe('Variables by name, above all that are set'),
    },
    fails: {
      400: 'There is no such ref, the configuration is broken, or its rules want no pipeline',
      401: 'The job of the token does not run',
      403: 'The user of the job may not act any more',
      404: 'The token is of no trigger of this project',
    },
    returns: created(Pipeline),
    run: ({ params, http, ...ctx }) =>
      pullTrigger(ctx, {
        project: params.id,
        ref: params.ref,
        token: params.token,
        variables: params.variables,
        payload: http.given,
      }),
  })
}

export const pulls = [
  pull('POST /projects/:id/trigger/pipeline'),
  pull('POST /projects/:id/ref/:ref/trigger/pipeline'),
]
