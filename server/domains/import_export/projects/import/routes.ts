import { z } from 'zod'

import { endpoint, type FileLimit } from '../../../../http/endpoint.ts'
import { entity, time, row } from '../../../../http/entity.ts'
import { bool, file, hash, text, choice } from '../../../../http/params.ts'
import { created, page } from '../../../../http/returns.ts'
import { fail } from '../../../../lib/fail.ts'
import { editSettings, project, fullPath, type Project } from '../../../projects/index.ts'
import { ImportStatus } from '../../imports/entity.ts'
import { checkSource, importRemote, importUpload } from './begin.ts'
import { inspectBucket, inspectUrl } from './remote/archive-source.ts'
import { projectAbilities } from '../../policy.ts'
import { importRelation } from './relation-import.ts'
import { relationImportsOf, type RelationImport } from './store.ts'
import type { Ctx } from '../../../../ctx.ts'
import { settingsOf } from '../../../settings/index.ts'

/** The import of one relation into an existing project (spec administration 6.6). */
const RelationImportTracker = entity(
  'RelationImportTracker',
  {
    id: z.int(),
    project_path: z.string(),
    relation: z.string(),
    status: z.string(),
    created_at: time(),
    updated_at: time(),
  },
  row((view: { readonly project: Project; readonly row: RelationImport }) => view.row),
  ({ project }) => ({
    project_path: fullPath(project),
  }),
)

const MB = 1024 * 1024
/** No limit: larger than any disk. */
const UNLIMITED_BYTES = 2 ** 50

/** Maximum number of imports of all kinds per user and minute (setting project_import_limit). */
const importLimit = {
  max: 6,
  per: 60,
  together: 'project_import',
  maxOf: (ctx: Ctx) => settingsOf(ctx).project_import_limit,
}

/**
 * The maximum size of an uploaded archive. Checked before the upload is stored, so that unauthorized uploads cannot
 * fill the disk.
 */
function uploadLimit(ctx: Ctx): FileLimit {
  if (ctx.actor.kind === 'anonymous') throw fail('unauthorized')
  checkSource(ctx)
  const { max_import_size: limit } = settingsOf(ctx)
  return { maxBytes: limit === 0 ? UNLIMITED_BYTES : limit * MB, tooLarge: `File is larger than ${limit} MB` }
}

export const begin = endpoint('POST /projects/import-relation', {
  summary: 'Import one relation of an archive into a project',
  can: 'signed_in',
  params: {
    file: file().describe('The archive of an exported project (tar.gz)'),
    path: text({ notEmpty: true }).describe('The full path of the project'),
    relation: choice('issues', 'merge_requests', 'ci_pipelines', 'milestones').describe(
      'The name of the relation',
    ),
  },
  files: uploadLimit,
  limit: importLimit,
  fails: {
    400: 'The file is not an archive',
    403: 'The caller does not maintain the project, or the settings do not allow archives',
    404: 'The project does not exist: `{"message": "404 Project Not Found"}`',
    409: 'Another relation import is already running in this project',
    413: 'The file is larger than the setting max_import_size',
  },
  returns: created(RelationImportTracker),
  run: ({ params: { file: archive, ...request }, ...ctx }) => importRelation(ctx, request, archive),
})

export const list = endpoint('GET /projects/:id/relation-imports', {
  summary: 'List the relation imports of a project, newest first',
  scope: project,
  can: projectAbilities.manage_import,
  returns: page(RelationImportTracker),
  run: ({ db, project: owner, paging }) => {
    const { rows, total } = relationImportsOf(db, owner.id, paging)
    return { rows: rows.map((row) => ({ project: owner, row })), total }
  },
})

/**
 * The settings that an import can override. Settings for other hosts and for the storage have to be set after the
 * import.
 */
const {
  import_url: _url,
  avatar: _avatar,
  mirror: _mirror,
  mirror_trigger_builds: _builds,
  mirror_user_id: _user,
  only_mirror_protected_branches: _protected,
  mirror_overwrites_diverged_branches: _diverged,
  repository_storage: _storage,
  ...overridable
} = editSettings

const overrides = hash({
  ...overridable,
  default_branch: text({ max: 255 }).optional().describe('The default branch'),
})

/** The target of an import, and settings that override those of the archive. */
const targetParams = {
  path: text().describe('The path of the new project'),
  name: text().optional().describe('The name of the new project. Default is the path'),
  namespace: text()
    .optional()
    .describe('The ID or full path of the namespace. Default is the personal namespace'),
  overwrite: bool()
    .default(false)
    .describe('Overwrite the project with this path when the import is finished'),
  override_params: overrides.optional().describe('Settings that override the settings in the archive'),
}

const OVERRIDE_NAME = /^override_params\[(\w+)\]$/

/**
 * Overrides with flat names in JSON, as a client sends them: `{"override_params[description]": "…"}`. Throws 400 for
 * invalid ones.
 */
function flatOverrides(input: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const pairs = Object.entries(input).flatMap(([name, value]) => {
    const setting = OVERRIDE_NAME.exec(name)?.[1]
    return setting === undefined ? [] : [[setting, value] as const]
  })
  if (pairs.length === 0) return undefined
  const { success, data, error } = overrides.safeParse(Object.fromEntries(pairs))
  if (success) return data
  const [issue] = error.issues
  throw fail('parameter', `override_params[${String(issue?.path[0])}] ${issue?.message ?? 'is invalid'}`)
}

const fails = {
  400: 'The name or path is invalid or taken, the caller may not create projects in the namespace, or the file is not an archive',
  403: 'The settings do not allow archives (import_sources)',
  404: 'The namespace does not exist: `{"message": "404 Namespace Not Found"}`',
}

export const importFile = endpoint('POST /projects/import', {
  summary: 'Import a project from an archive',
  can: 'signed_in',
  params: { file: file().describe('The archive of an exported project (tar.gz)'), ...targetParams },
  files: uploadLimit,
  limit: importLimit,
  fails: { ...fails, 413: 'The file is larger than the setting max_import_size' },
  returns: created(ImportStatus),
  run: ({ params: { file: archive, ...input }, ...ctx }) => importUpload(ctx, input, archive),
})

export const importFromUrl = endpoint('POST /projects/remote-import', {
  summary: 'Import a project from an archive at a URL',
  can: 'signed_in',
  params: { url: text({ max: 4096 }).describe('The URL of the archive'), ...targetParams },
  limit: importLimit,
  fails,
  returns: created(ImportStatus),
  run: async ({ params: { url, ...input }, http, ...ctx }) => {
    checkSource(ctx)
    const override_params = input.override_params ?? flatOverrides(http.rawParams)
    return importRemote(ctx, { ...input, override_params }, () => inspectUrl(ctx, url))
  },
})

export const importFromBucket = endpoint('POST /projects/remote-import-s3', {
  summary: 'Import a project from an archive in S3-compatible storage',
  can: 'signed_in',
  params: {
    region: text({ max: 63 }).describe('The region of the bucket'),
    bucket_name: text({ max: 63 }).describe('The name of the bucket'),
    file_key: text({ max: 1024, notEmpty: true }).describe('The key of the archive'),
    access_key_id: text({ max: 255 }).describe('The ID of the access key'),
    secret_access_key: text({ max: 1024 }).describe('The secret of the access key'),
    ...targetParams,
  },
  limit: importLimit,
  fails,
  returns: created(ImportStatus),
  run: async ({ params, http, ...ctx }) => {
    checkSource(ctx)
    const { region, bucket_name: bucket, file_key: key, access_key_id, secret_access_key, ...input } = params
    const object = { region, bucket, key, access_key_id, secret_access_key }
    const override_params = input.override_params ?? flatOverrides(http.rawParams)
    return importRemote(ctx, { ...input, override_params }, () => inspectBucket(ctx, object))
  },
})
