import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, file, list, text } from '../../../http/params.ts'
import { created, page, raw } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { useWorkbench } from '../policy.ts'
import { settingsOf } from '../../settings/index.ts'
import { WorkbenchFolder, WorkbenchWorld, WorkbenchWorldOutcome } from './entity.ts'
import { worldJsonSchema } from './model/schema.ts'
import { applyWorld } from './service.ts'
import { deleteFolder, storeFolder, uploadedFolders } from './service-folders.ts'
import { shippedWorld, shippedWorlds } from './service-shipped.ts'
import { writeWorld } from './service-writing.ts'

const MAX_BODY = 17 * 1024 * 1024

export const listWorlds = endpoint('GET /-/workbench/worlds/shipped', {
  summary: 'List the built-in worlds',
  can: useWorkbench,
  returns: page(WorkbenchWorld, { paging: 'none' }),
  run: async ({ config }) => {
    const rows = await shippedWorlds(config)
    return { rows, total: rows.length }
  },
})

export const readWorld = endpoint('GET /-/workbench/worlds/shipped/:name', {
  summary: 'Get the text of a built-in world',
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
    404: 'The group or project does not exist',
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

const MB = 1024 * 1024
/** The limit in bytes if the setting has none: larger than any disk. */
const ANY_SIZE = 2 ** 50

/** The command line reads the folders that a world names; the instance itself never reads folders of this computer. */
export const sendFolder = endpoint('POST /-/workbench/worlds/folders', {
  summary: 'Upload the content of a folder for a world',
  can: useWorkbench,
  params: {
    file: file().describe('The folder as an uncompressed tar file, with relative paths'),
    kind: choice('repository', 'bare', 'files').describe(
      '`repository`: a folder with `.git`; `bare`: a bare repository; `files`: plain files',
    ),
    folder: text({ max: 255 }).describe('The path of the folder as it is in the world'),
  },
  // Checked before anything is stored, so that unauthorized uploads cannot fill the disk.
  files: (ctx) => {
    if (!ctx.actor.is_admin) throw fail(ctx.actor.kind === 'anonymous' ? 'unauthorized' : 'forbidden')
    const { max_import_size: limit } = settingsOf(ctx)
    return {
      maxBytes: limit === 0 ? ANY_SIZE : limit * MB,
      tooLarge: `The folder is larger than ${limit} MB`,
    }
  },
  fails: {
    413: 'The folder is larger than the setting max_import_size',
    429: 'Too many folders wait for a world',
  },
  returns: created(WorkbenchFolder),
  run: ({ params: { file: upload, kind, folder }, ...ctx }) => ({
    id: storeFolder(ctx, { kind, folder, path: upload.path }),
  }),
})

export const apply = endpoint('POST /-/workbench/worlds', {
  summary: 'Apply a world: create all described objects that do not exist yet',
  can: useWorkbench,
  maxBody: MAX_BODY,
  takesBytes: true,
  params: {
    dry_run: bool().optional().describe('Only check the world'),
    content: text({ max: MAX_BODY })
      .optional()
      .describe(
        'The text of the world in a JSON body; otherwise the body itself is the world, in YAML or JSON. ' +
          'Such a body may have `folders`, too: IDs of uploaded folders, by the path of their project',
      ),
    shipped: text({ max: 100 }).optional().describe('The name of a built-in world'),
  },
  fails: {
    400: 'The world is invalid; `errors` has the line and column of each problem, and nothing was changed',
    404: 'There is no built-in world with this name',
    409: 'Another world is being applied',
    422: 'A step was refused; `errors` describes it and `done` counts the created objects. Apply the corrected world to finish',
  },
  returns: created(WorkbenchWorldOutcome),
  run: async (ctx) => {
    const { bytes } = ctx.http
    const input = { ...ctx.params, ...jsonParams(bytes) }
    const isDryRun = input.dry_run === true
    const world = input.shipped
      ? await shippedWorld(ctx.config, input.shipped)
      : (input.content ?? bytes.toString('utf8'))
    if (world === '') throw fail('bad_request', 'The body is empty; send a world as YAML or JSON.')
    const names = input.folders ?? {}
    if (isDryRun)
      return applyWorld(ctx, world, {
        isDryRun,
        folders: new Map(Object.keys(names).map((path) => [path, null])),
      })
    try {
      return await applyWorld(ctx, world, { isDryRun, folders: uploadedFolders(ctx, names) })
    } finally {
      for (const id of Object.values(names)) deleteFolder(ctx, id)
    }
  },
})

interface JsonParams {
  readonly content?: string
  readonly dry_run?: boolean
  readonly shipped?: string
  readonly folders?: Readonly<Record<string, string>>
}

/** The parameters in a JSON body; none if the body itself is the world. */
function jsonParams(bytes: Buffer): JsonParams {
  if (bytes[0] !== 0x7b) return {}
  let body: Record<string, unknown>
  try {
    body = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>
  } catch {
    return {}
  }
  const { content, dry_run, shipped, folders } = body
  const entries = Object.entries(folders ?? {}).filter(([, id]) => typeof id === 'string')
  return {
    folders: Object.fromEntries(entries) as Record<string, string>,
    ...(typeof content === 'string' ? { content } : {}),
    ...(typeof shipped === 'string' ? { shipped } : {}),
    ...(typeof dry_run === 'boolean' ? { dry_run } : {}),
  }
}
