import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// The roles of files in a domain. The name of a file determines its role (`store.ts`, `store-counts.ts`,
// `window-routes.ts`), or else its folder, which `folder-roles.json` declares. Files in the root of a domain always
// have role names.

/** Roles that a file name can have as a prefix or suffix. */
const named =
  'index|routes|store|entity|policy|service|events|subscribers|jobs|crons|validation|visibility|settings|params|types|web'

const inFront = new RegExp(`^(${named})(?:-[\\w-]+)?\\.ts$`)
const atEnd = new RegExp(`^[\\w-]+-(${named})\\.ts$`)
const worker = /^[\w-]+\.worker\.ts$/

/**
 * Roles of folders. `model` computes from its arguments: no database, git, files, network or context. `service` does the
 * work of use cases: it may do all of that, but contains no SQL and declares no endpoint. `protocol` works on requests
 * themselves (credentials, streams) rather than on checked parameters: authentication, git over HTTP and SSH, LFS. The role
 * of a single file that does so is `web`.
 */
export type FolderRole = 'model' | 'service' | 'protocol'

const file = fileURLToPath(new URL('folder-roles.json', import.meta.url))

/** The declared folders, by their path from the repository's root. */
export const folderRoles = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, FolderRole>>

/** The role of a file of a domain, or undefined if neither its name nor its folder declares one. */
export function roleOf(path: string): string | undefined {
  const [, folder = '', name = ''] = /^(.*)\/([^/]+)$/.exec(path) ?? []
  if (worker.test(name)) return 'worker'
  return (inFront.exec(name) ?? atEnd.exec(name))?.[1] ?? folderRoles[folder]
}
