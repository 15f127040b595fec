import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Repo } from '../types.ts'
import { advertisedRefs, type AdvertisedRef } from './advertised-refs.ts'
import { linesOf, packet } from './packets.ts'

/** A request for the list of refs (protocol version 2, command ls-refs). */
interface LsRefsOptions {
  readonly peel: boolean
  readonly symrefs: boolean
  readonly unborn: boolean
  /** The prefixes of the requested refs; empty for all refs. */
  readonly prefixes: readonly string[]
}

/** Arguments that do not change the answer. */
const IGNORED = /^(?:agent|session-id|object-format=sha1$)/

/**
 * Answers an ls-refs request without git, from a cached list of refs. Undefined if git has to answer, because the request
 * has unknown arguments, or the repository has refs to other refs or tags of tags.
 */
export async function answerLsRefs(repo: Repo, request: Buffer): Promise<string | undefined> {
  const options = readOptions(request)
  if (options === undefined) return undefined
  const refs = await advertisedRefs(repo)
  const head = await headOf(repo)
  if (refs === undefined || head === undefined) return undefined
  const lines = refs.filter(({ name }) => isRequested(options, name)).map((ref) => lineOf(options, ref))
  const first = isRequested(options, 'HEAD') ? headLine(options, refs, head) : ''
  return `${first}${lines.join('')}0000`
}

function readOptions(request: Buffer): LsRefsOptions | undefined {
  const options = { peel: false, symrefs: false, unborn: false, prefixes: [] as string[] }
  for (const line of linesOf(request) ?? ['invalid']) {
    if (line.startsWith('ref-prefix ')) options.prefixes.push(line.slice('ref-prefix '.length))
    else if (line === 'peel' || line === 'symrefs' || line === 'unborn') options[line] = true
    else if (line !== 'command=ls-refs' && !IGNORED.test(line)) return undefined
  }
  return options
}

/** The ref of the branch in HEAD. Undefined if HEAD contains anything else. */
async function headOf(repo: Repo): Promise<string | undefined> {
  const text = await readFile(path.join(repo.gitDir, 'HEAD'), 'utf8').catch(() => '')
  return /^ref: (refs\/heads\/[^\n]+)\n$/.exec(text)?.[1]
}

function isRequested({ prefixes }: LsRefsOptions, name: string): boolean {
  return prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix))
}

function lineOf({ peel }: LsRefsOptions, { name, oid, peeled }: AdvertisedRef): string {
  return packet(`${oid} ${name}${peel && peeled !== '' ? ` peeled:${peeled}` : ''}\n`)
}

function headLine(
  { symrefs, unborn }: LsRefsOptions,
  refs: readonly AdvertisedRef[],
  target: string,
): string {
  const ref = refs.find(({ name }) => name === target)
  const link = symrefs ? ` symref-target:${target}` : ''
  if (ref) return packet(`${ref.oid} HEAD${link}\n`)
  return unborn ? packet(`unborn HEAD${link}\n`) : ''
}
