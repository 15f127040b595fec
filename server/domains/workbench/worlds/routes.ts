import { endpoint } from '../../../http/endpoint.ts'
import { bool, list, text } from '../../../http/params.ts'
import { created, page, raw } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { useWorkbench } from '../policy.ts'
import { WorkbenchWorld, WorkbenchWorldOutcome } from './entity.ts'
import { worldJsonSchema } from './model/schema.ts'
import { applyWorld } from './service.ts'
import { shippedWorld, shippedWorlds } from './service-shipped.ts'
import { writeWorld } from './service-writing.ts'

const MAX_BODY = 17 * 1024 * 1024

export const listWorlds = endpoint('GET /-/workbench/worlds/shipped', {
  summary: 'List the worlds that come with the instance',
  can: useWorkbench,
  returns: page(WorkbenchWorld, { paging: 'none' }),
  run: async ({ config }) => {
    const rows = await shippedWorlds(config)
    return { rows, total: rows.length }
  },
})

export const readWorld = endpoint('GET /-/workbench/worlds/shipped/:name', {
  summary: 'Get the text of a world that comes with the instance',
  can: useWorkbench,
  params: { name: text({ max: 100 }).describe('Name of the world') },
  returns: raw,
  run: async ({ config, params }) => ({
    type: 'application/yaml',
    body: await shippedWorld(config, params.name),
  }),
})

export const readCurrent = endpoint('GET /-/workbench/worlds/current', {
  summary: 'Get this instance, or a part of it, as a world',
  can: useWorkbench,
  params: {
    projects: list(text({ max: 1024 }))
      .optional()
      .describe('Only these projects: full paths or ids'),
    groups: list(text({ max: 1024 }))
      .optional()
      .describe('Only these groups with their subgroups and projects: full paths or ids'),
  },
  fails: {
    404: 'There is no such group or project',
    409: 'Another world is being written',
  },
  returns: raw,
  run: async (ctx) => ({ type: 'application/yaml', body: await writeWorld(ctx, ctx.params) }),
})

export const readSchema = endpoint('GET /-/workbench/worlds/schema', {
  summary: 'Get the JSON Schema of worlds, for editors',
  can: useWorkbench,
  returns: raw,
  run: () => ({ type: 'application/schema+json', body: JSON.stringify(worldJsonSchema(), null, 2) }),
})

export const apply = endpoint('POST /-/workbench/worlds', {
  summary: 'Apply a world: make everything it describes that is not there yet',
  can: useWorkbench,
  maxBody: MAX_BODY,
  takesBytes: true,
  params: {
    dry_run: bool().optional().describe('Only check the world'),
    content: text({ max: MAX_BODY })
      .optional()
      .describe(
        'The text of the world in a JSON body; otherwise the body itself is the world, in YAML or JSON',
      ),
    shipped: text({ max: 100 }).optional().describe('The name of a world that comes with the instance'),
  },
  fails: {
    400: 'The world is wrong; `errors` has the line and column of each problem, and nothing was changed',
    404: 'No world of this name comes with the instance',
    409: 'Another world is being applied',
    422: 'A step was refused; `errors` says which one and `done` what was made. Applying the mended world finishes it',
  },
  returns: created(WorkbenchWorldOutcome),
  run: async (ctx) => {
    const { bytes } = ctx.http
    const given = { ...ctx.params, ...inJson(bytes) }
    const isDryRun = given.dry_run === true
    if (given.shipped) return applyWorld(ctx, await shippedWorld(ctx.config, given.shipped), isDryRun)
    const world = given.content ?? bytes.toString('utf8')
    if (world === '') throw fail('bad_request', 'The body is empty; send a world as YAML or JSON.')
    return applyWorld(ctx, world, isDryRun)
  },
})

/** The parameters in a JSON body; nothing where the body itself is the world. */
function inJson(bytes: Buffer): { content?: string; dry_run?: boolean; shipped?: string } {
  if (bytes[0] !== 0x7b) return {}
  let body: Record<string, unknown>
  try {
    body = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>
  } catch {
    return {}
  }
  const { content, dry_run, shipped } = body
  return {
    ...(typeof content === 'string' ? { content } : {}),
    ...(typeof shipped === 'string' ? { shipped } : {}),
    ...(typeof dry_run === 'boolean' ? { dry_run } : {}),
  }
}
