import { existsSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { isPath } from './origin.ts'
import { text } from './texts.ts'

/** The page that a start, the system or another program wants in the window; or why it gets none. */
export interface Wanted {
  readonly page?: string
  readonly refusal?: string
  /** The folder that it was, for the list of recent documents of the system. */
  readonly folder?: string
}

/**
 * The path of the page in a `deskforge://` address, or undefined for other text. Both
 * `deskforge://group/project/-/merge_requests/1` and the form with three slashes are valid. Only path, query and
 * fragment are used: an address can choose a page, but no host, and can start nothing.
 */
export function pageOf(address: string): string | undefined {
  if (!/^deskforge:\/\//i.test(address) || !URL.canParse(address)) return undefined
  const rest = address.slice('deskforge://'.length)
  const path = `/${rest.replace(/^\/+/, '')}`
  if (!isPath(path) || path.length > 2000) return undefined
  const url = new URL(path, 'http://instance.invalid')
  const isApi = /^\/(api|oauth)(\/|$)/.test(url.pathname) || url.pathname.includes('.git/')
  return isApi ? undefined : url.pathname + url.search + url.hash
}

/** Whether git would take the folder for a repository: one with a work tree, or a bare one. Starts no git in it. */
function isRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(folder, name)))
}

/** The page that creates a project for a folder; a sentence for anything that is not a folder. */
export function wantedFor(path: string): Wanted {
  try {
    if (!statSync(path).isDirectory()) return { refusal: text('drop.is_file', { path }) }
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR'
    return {
      refusal: isMissing ? text('drop.no_folder', { path }) : text('drop.unreadable', { path, reason: code }),
    }
  }
  const query = new URLSearchParams({ name: basename(path), folder: path })
  if (isRepository(path)) query.set('repository', 'true')
  return { page: `/projects/new?${query.toString()}`, folder: path }
}

/** The local path in an argument, or undefined. Desktops on Linux pass a dropped folder as a `file:` address. */
function pathIn(argument: string, cwd: string): string | undefined {
  if (argument === '' || argument.startsWith('-') || argument.includes('\0')) return undefined
  if (!/^[a-z][a-z0-9+.-]+:/i.test(argument)) return resolve(cwd, argument)
  try {
    return fileURLToPath(argument)
  } catch {
    return undefined
  }
}

/**
 * What the arguments of a program want: the first `deskforge://` address, else the first path. `args` has no options;
 * `own` are paths that belong to the start itself.
 */
export function wantedAmong(args: readonly string[], cwd: string, own: readonly string[] = []): Wanted {
  for (const arg of args) {
    const page = pageOf(arg)
    if (page) return { page }
  }
  const path = args.map((arg) => pathIn(arg, cwd)).find((one) => one !== undefined && !own.includes(one))
  return path === undefined ? {} : wantedFor(path)
}
