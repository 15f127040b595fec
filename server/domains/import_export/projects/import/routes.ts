import { endpoint } from '../../../../http/endpoint.ts'
import { bool, file, hash, text } from '../../../../http/params.ts'
import { created } from '../../../../http/returns.ts'
import { fail } from '../../../../lib/fail.ts'
import { editSettings } from '../../../projects/index.ts'
import { ImportStatus } from '../../imports/entity.ts'
import { checkSource, importRemote, importUpload } from './begin.ts'
import { importLimit, uploadLimit } from './limits.ts'
import { lookAtBucket, lookAtUrl } from './remote/look.ts'

/** Settings that lead to other places, or to other machines, are set once the project is there. */
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
  default_branch: text({ max: 255 }).optional().describe('Branch that is shown first'),
})

/** Where an imported project goes, and what of it is to be other than the archive says. */
const placeParams = {
  path: text().describe('Last part of the address of the new project'),
  name: text().optional().describe('Its name; by default the path'),
  namespace: text().optional().describe('Id or full path of where it goes; by default the own namespace'),
  overwrite: bool().default(false).describe('Takes the place of a project of that path, once all is well'),
  override_params: overrides.optional().describe('Settings that win over those of the archive'),
}

const NAMED = /^override_params\[(\w+)\]$/

/** Settings that win, as one client names them in JSON: `{"override_params[description]": "…"}`. Throws 400 as for others. */
function flatOverrides(given: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const found = Object.entries(given).flatMap(([name, value]) => {
    const inner = NAMED.exec(name)?.[1]
    return inner === undefined ? [] : [[inner, value] as const]
  })
  if (found.length === 0) return undefined
  const { success, data, error } = overrides.safeParse(Object.fromEntries(found))
  if (success) return data
  const [issue] = error.issues
  throw fail('parameter', `override_params[${String(issue?.path[0])}] ${issue?.message ?? 'is invalid'}`)
}

const fails = {
  400: 'The name or path is taken or cannot be, the namespace is closed to the caller, or this is no archive',
  403: 'Archives are not among the sources of projects (setting import_sources)',
  404: 'There is no such namespace: `{"message": "404 Namespace Not Found"}`',
}

export const importFile = endpoint('POST /projects/import', {
  summary: 'Make a project from an archive',
  can: 'signed_in',
  params: { file: file().describe('The archive of an export, tar.gz'), ...placeParams },
  files: uploadLimit,
  limit: importLimit,
  fails: { ...fails, 413: 'The file is larger than the setting max_import_size' },
  returns: created(ImportStatus),
  run: ({ params: { file: archive, ...wish }, ...ctx }) => importUpload(ctx, wish, archive),
})

export const importFromUrl = endpoint('POST /projects/remote-import', {
  summary: 'Make a project from an archive at an address',
  can: 'signed_in',
  params: { url: text({ max: 4096 }).describe('Address of the archive'), ...placeParams },
  limit: importLimit,
  fails,
  returns: created(ImportStatus),
  run: async ({ params: { url, ...wish }, http, ...ctx }) => {
    checkSource(ctx)
    const override_params = wish.override_params ?? flatOverrides(http.given)
    return importRemote(ctx, { ...wish, override_params }, () => lookAtUrl(ctx, url))
  },
})

export const importFromBucket = endpoint('POST /projects/remote-import-s3', {
  summary: 'Make a project from an archive in S3-compatible storage',
  can: 'signed_in',
  params: {
    region: text({ max: 63 }).describe('Region of the bucket'),
    bucket_name: text({ max: 63 }).describe('Name of the bucket'),
    file_key: text({ max: 1024, notEmpty: true }).describe('Key of the archive in it'),
    access_key_id: text({ max: 255 }).describe('Who may read it'),
    secret_access_key: text({ max: 1024 }).describe('Their secret'),
    ...placeParams,
  },
  limit: importLimit,
  fails,
  returns: created(ImportStatus),
  run: async ({ params, http, ...ctx }) => {
    checkSource(ctx)
    const { region, bucket_name: bucket, file_key: key, access_key_id, secret_access_key, ...wish } = params
    const object = { region, bucket, key, access_key_id, secret_access_key }
    const override_params = wish.override_params ?? flatOverrides(http.given)
    return importRemote(ctx, { ...wish, override_params }, () => lookAtBucket(ctx, object))
  },
})
