import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { choice, file, text } from '../../../http/params.ts'
import { created } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { importFolder } from './service.ts'

const MB = 1024 * 1024
/** No limit: larger than any disk. */
const UNLIMITED_BYTES = 2 ** 50

const FolderImport = entity(
  'FolderImport',
  { id: z.int(), path_with_namespace: z.string(), import_status: z.string() },
  (project: Project) => ({
    id: project.id,
    path_with_namespace: fullPath(project),
    import_status: project.import_status,
  }),
)

/** The window uploads the folder that the user chose. The instance itself never reads folders of this machine. */
export const send = endpoint('POST /-/imports/folder', {
  summary: 'Create a project from an uploaded folder',
  can: 'signed_in',
  params: {
    file: file().describe('The folder as an uncompressed tar file, with relative paths'),
    kind: choice('repository', 'bare', 'files').describe(
      'The content of the folder: `repository` has a `.git` folder, `bare` is a bare repository, `files` has only files',
    ),
    folder: text({ max: 255 }).describe('The name of the folder'),
    path: text().describe('The path of the new project'),
    name: text().optional().describe('The name of the new project. Default is its path'),
    namespace: text()
      .optional()
      .describe('The ID or full path of the target namespace. Default is the personal namespace'),
  },
  files: (ctx: Ctx) => {
    if (ctx.actor.kind === 'anonymous') throw fail('unauthorized')
    const { max_import_size: limit } = settingsOf(ctx)
    return {
      maxBytes: limit === 0 ? UNLIMITED_BYTES : limit * MB,
      tooLarge: `The folder is larger than ${limit} MB`,
    }
  },
  limit: {
    max: 6,
    per: 60,
    together: 'project_import',
    maxOf: (ctx: Ctx) => settingsOf(ctx).project_import_limit,
  },
  fails: {
    400: 'The name or path is taken or invalid, or the caller may not create projects in the namespace',
    404: 'The namespace does not exist',
    413: 'The folder is larger than the setting max_import_size',
  },
  returns: created(FolderImport),
  run: ({ params: { file: upload, ...input }, ...ctx }) => importFolder(ctx, input, upload),
})
