import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Repo } from '../types.ts'
import { advertisedRefs, type KnownRef } from './advertised-refs.ts'
import { linesOf, packet } from './packets.ts'

/** A client's question about the refs (protocol version 2, command ls-refs). */
interface Question {
  readonly peel: boolean
  readonly symrefs: boolean
  readonly unborn: boolean
  /** Empty: all refs. */
  readonly prefixes: readonly string[]
}

/** Arguments that change nothing here. */
const PASSED_OVER = /^(?:agent|session-id|object-format=sha1$)/
/**
 * Answers an ls-refs request without starting git, from a list that is read again when a ref has changed. Undefined
 * if git has to answer: the request has arguments that this code does not know, or the repository has refs to other
 * refs or tags of tags.
 */
export async function answerLsRefs(repo: Repo, request: Buffer): Promise<string | undefined> {
  const question = readQuestion(request)
  if (question === undefined) return undefined
  const refs = await advertisedRefs(repo)
  const head = await headOf(repo)
  if (refs === undefined || head === undefined) return undefined
  const lines = refs.filter(({ name }) => isWanted(question, name)).map((ref) => lineOf(question, ref))
  const first = isWanted(question, 'HEAD') ? headLine(question, refs, head) : ''
  return `${first}${lines.join('')}0000`
}

function readQuestion(request: Buffer): Question | undefined {
  const question = { peel: false, symrefs: false, unborn: false, prefixes: [] as string[] }
  for (const line of linesOf(request) ?? ['invalid']) {
    if (line.startsWith('ref-prefix ')) question.prefixes.push(line.slice('ref-prefix '.length))
    else if (line === 'peel' || line === 'symrefs' || line === 'unborn') question[line] = true
    else if (line !== 'command=ls-refs' && !PASSED_OVER.test(line)) return undefined
  }
  return question
}

/** The branch that HEAD names. Undefined if HEAD is something else. */
async function headOf(repo: Repo): Promise<string | undefined> {
  const text = await readFile(path.join(repo.gitDir, 'HEAD'), 'utf8').catch(() => '')
  return /^ref: (refs\/heads\/[^\n]+)\n$/.exec(text)?.[1]
}

function isWanted({ prefixes }: Question, name: string): boolean {
  return prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix))
}

function lineOf({ peel }: Question, { name, oid, peeled }: KnownRef): string {
  return packet(`${oid} ${name}${peel && peeled !== '' ? ` peeled:${peeled}` : ''}\n`)
}

function headLine({ symrefs, unborn }: Question, refs: readonly KnownRef[], target: string): string {
  const ref = refs.find(({ name }) => name === target)
  const link = symrefs ? ` symref-target:${target}` : ''
  if (ref) return packet(`${ref.oid} HEAD${link}\n`)
  return unborn ? packet(`unborn HEAD${link}\n`) : ''
}
