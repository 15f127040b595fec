import { existsSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { isPath } from './origin.ts'
import { text } from './texts.ts'

/** A page that a start, the system or another program requests in the window, or the problem with the request. */
export interface PageRequest {
  readonly page?: string
  readonly problem?: string
  /** The folder of the request, for the recent documents of the system. */
  readonly folder?: string
}

/**
 * Returns the path of the page in a `deskforge://` address; undefined for other text. Both
 * `deskforge://group/project/-/merge_requests/1` and the form with three slashes are valid. Only path, query and
 * fragment are used, so an address can choose a page but not a host, and cannot run anything.
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

/** Returns true for a folder with a git repository, with a work tree or bare. Does not run git in it. */
function isRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(folder, name)))
}

/** Returns the page that creates a project from a folder, or a sentence if the path is not a folder. */
export function pageRequestFor(path: string): PageRequest {
  try {
    if (!statSync(path).isDirectory()) return { problem: text('drop.is_file', { path }) }
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR'
    return {
      problem: isMissing ? text('drop.no_folder', { path }) : text('drop.unreadable', { path, reason: code }),
    }
  }
  const query = new URLSearchParams({ name: basename(path), folder: path })
  if (isRepository(path)) query.set('repository', 'true')
  return { page: `/projects/new?${query.toString()}`, folder: path }
}

/**
 * Returns the local path in an argument; undefined for other arguments. Linux desktops pass a dropped folder as a
 * `file:` URL.
 */
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
 * Returns the page that positional arguments request: the first `deskforge://` address, else the first path.
 * `ownPaths` are arguments of Electron, which request nothing.
 */
export function pageRequestIn(
  args: readonly string[],
  cwd: string,
  ownPaths: readonly string[] = [],
): PageRequest {
  for (const arg of args) {
    const page = pageOf(arg)
    if (page) return { page }
  }
  const path = args
    .map((arg) => pathIn(arg, cwd))
    .find((file) => file !== undefined && !ownPaths.includes(file))
  return path === undefined ? {} : pageRequestFor(path)
}
