import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { git, option } from '../args.ts'
import { refFields } from '../parse.ts'
import { run } from '../process/run.ts'
import { keptWhileRefsStay } from '../kept-refs.ts'
import type { Repo } from '../types.ts'
import { linesOf, packet } from './packets.ts'
import { INTERNAL_REFS } from './transfer-config.ts'

/** What a client wants to know of the refs (protocol version 2, command ls-refs). */
interface Question {
  readonly peel: boolean
  readonly symrefs: boolean
  readonly unborn: boolean
  /** Empty: all refs. */
  readonly prefixes: readonly string[]
}

interface KnownRef {
  readonly name: string
  readonly oid: string
  /** The object behind an annotated tag; empty otherwise. */
  readonly peeled: string
}

const MAX_LIST_BYTES = 64 * 1024 * 1024
/** Arguments that change nothing here. */
const PASSED_OVER = /^(?:agent|session-id|object-format=sha1$)/
const REF = refFields({
  name: '%(refname)',
  oid: '%(objectname)',
  peeled: '%(*objectname)',
  peeled_type: '%(*objecttype)',
  symref: '%(symref)',
})

/**
 * Answers an ls-refs request without starting git, from a list that is read again when a ref has changed. Undefined
 * where git has to answer: the request has arguments that this code does not know, or the repository has refs to other
 * refs or tags of tags.
 */
export async function answerLsRefs(repo: Repo, request: Buffer): Promise<string | undefined> {
  const question = readQuestion(request)
  if (question === undefined) return undefined
  const refs = await keptWhileRefsStay(repo, 'advertised', () => loadRefs(repo))
  const head = await headOf(repo)
  if (refs.list === null || head === undefined) return undefined
  const lines = refs.list.filter(({ name }) => isWanted(question, name)).map((ref) => lineOf(question, ref))
  const first = isWanted(question, 'HEAD') ? headLine(question, refs.list, head) : ''
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

async function loadRefs(repo: Repo): Promise<{ content: { list: KnownRef[] | null }; bytes: number }> {
  const args = git`for-each-ref ${option('--format', REF.format)}`
  const { stdout } = await run(repo, 'refs.list', args, { maxBytes: MAX_LIST_BYTES })
  const rows = REF.parse(stdout)
  const isSimple = rows.every(({ symref, peeled_type }) => symref === '' && peeled_type !== 'tag')
  const seen = rows.filter(({ name }) => !INTERNAL_REFS.some((hidden) => name.startsWith(`${hidden}/`)))
  const list = isSimple ? seen.map(({ name, oid, peeled }) => ({ name, oid, peeled })) : null
  return { content: { list }, bytes: 2 * stdout.length + 200 }
}

/** The branch that HEAD names. Undefined where HEAD is something else. */
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
  const found = refs.find(({ name }) => name === target)
  const link = symrefs ? ` symref-target:${target}` : ''
  if (found) return packet(`${found.oid} HEAD${link}\n`)
  return unborn ? packet(`unborn HEAD${link}\n`) : ''
}
