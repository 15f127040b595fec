import { z } from 'zod'

import { disposition } from '../../../http/answer/content.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { file, int, text } from '../../../http/params.ts'
import { created, noContent, ok, page, raw } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { secureFileContent, extensionOf } from './describe.ts'
import { abilities } from '../policy.ts'
import { createSecureFile, findSecureFile, listSecureFiles, removeSecureFile } from './service.ts'
import { entity, time, row } from '../../../http/entity.ts'
import type { SecureFileRow } from './store.ts'

/** A secure file without its content (spec rest-api "Secure file"). */
const SecureFile = entity(
  'SecureFile',
  {
    id: z.int(),
    name: z.string(),
    checksum: z.string(),
    checksum_algorithm: z.literal('sha256'),
    created_at: time(),
    expires_at: time().nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    file_extension: z.string().nullable(),
  },
  row<SecureFileRow>(),
  (row) => ({
    checksum_algorithm: 'sha256' as const,
    file_extension: extensionOf(row.name) ?? null,
  }),
)

const secure_file_id = int({ min: 1 }).describe('The ID of the secure file')

export const listFiles = endpoint('GET /projects/:id/secure_files', {
  summary: 'List project secure files',
  scope: project,
  can: abilities.read_secure_files,
  jobToken: true,
  returns: page(SecureFile),
  run: (ctx) => listSecureFiles(ctx, ctx.project.id, ctx.paging),
})

export const getFile = endpoint('GET /projects/:id/secure_files/:secure_file_id', {
  summary: 'Get a single secure file',
  scope: project,
  can: abilities.read_secure_files,
  jobToken: true,
  params: { secure_file_id },
  returns: ok(SecureFile),
  run: (ctx) => findSecureFile(ctx, ctx.project.id, ctx.params.secure_file_id),
})

export const downloadFile = endpoint('GET /projects/:id/secure_files/:secure_file_id/download', {
  summary: 'Download a secure file',
  scope: project,
  can: abilities.read_secure_files,
  jobToken: true,
  params: { secure_file_id },
  returns: raw,
  run: async (ctx) => {
    const row = findSecureFile(ctx, ctx.project.id, ctx.params.secure_file_id)
    return {
      type: 'application/octet-stream',
      body: await secureFileContent(ctx, row),
      headers: { 'Content-Disposition': disposition('attachment', row.name) },
    }
  },
})

export const createFile = endpoint('POST /projects/:id/secure_files', {
  summary: 'Create a secure file',
  scope: project,
  can: abilities.manage_secure_files,
  jobToken: true,
  params: {
    name: text().describe(
      'Name of the file. The metadata of `.cer`, `.p12` and `.mobileprovision` files is read',
    ),
    file: file().describe('The file, in a multipart body'),
  },
  fails: {
    400: 'The name is invalid or already taken, or there are too many files',
    413: '413 Request Entity Too Large',
  },
  returns: created(SecureFile),
  run: (ctx) => createSecureFile(ctx, ctx.project.id, ctx.params),
})

export const removeFile = endpoint('DELETE /projects/:id/secure_files/:secure_file_id', {
  summary: 'Delete a secure file',
  scope: project,
  can: abilities.manage_secure_files,
  jobToken: true,
  params: { secure_file_id },
  returns: noContent,
  run: (ctx) => {
    const row = findSecureFile(ctx, ctx.project.id, ctx.params.secure_file_id)
    ctx.http.unmodifiedSince(row.created_at)
    removeSecureFile(ctx, row)
  },
})
