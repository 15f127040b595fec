import { readFile } from 'node:fs/promises'

import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import type { JobRow } from '../jobs/store.ts'
import { decompressMembers } from '../reports/read.ts'
import { dependencyJobs } from './dependencies.ts'
import * as store from './store.ts'

/** The maximum size of a dotenv report in bytes (spec ci 1.12). */
const MAX_BYTES = 5 * 1024
const MAX_VARIABLES = 20

/** A variable from a dotenv report. */
interface ExportedVariable {
  readonly key: string
  readonly value: string
}

/** Reads the variables of a compressed dotenv report. Throws 400 with the messages of the contract. */
async function parseDotenv(report: Buffer): Promise<ExportedVariable[]> {
  const files = await decompressMembers(report, MAX_BYTES + 1)
  if (files === 'broken') throw refused('Invalid Format')
  if (files === 'too_large' || files.reduce((sum, file) => sum + file.length, 0) > MAX_BYTES)
    throw refused(`Dotenv Artifact Too Big. Maximum Allowable Size: ${MAX_BYTES}`)
  const variables = new Map<string, string>()
  for (const file of files) for (const line of linesOf(file)) variables.set(...parseLine(line))
  if (variables.size > MAX_VARIABLES)
    throw refused(`Dotenv files cannot have more than ${MAX_VARIABLES} variables`)
  return [...variables].map(([key, value]) => ({ key, value }))
}

function refused(text: string) {
  return fail('bad_request', text)
}

/** The lines of a file. It may be UTF-16, which PowerShell writes. Throws 400 for content that is not text. */
function linesOf(file: Buffer): string[] {
  const encoding = file[0] === 0xff && file[1] === 0xfe ? 'utf-16le' : 'utf-8'
  let text: string
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(file)
  } catch {
    throw refused('Invalid Format')
  }
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function parseLine(line: string): [string, string] {
  const separator = line.indexOf('=')
  if (separator < 0) throw refused('Invalid Format')
  const [key, value] = [line.slice(0, separator).trim(), line.slice(separator + 1).trim()]
  if (!/^[A-Za-z0-9_]{1,255}$/.test(key) || value.includes('\0'))
    throw refused("Validation failed: Key can contain only letters, digits and '_'.")
  return [key, value]
}

const PURPOSE = 'ci_job_exports.value'
/** A larger file is refused without decompressing it. Valid reports are much smaller. */
const MAX_COMPRESSED = 64 * 1024

/** Reads the variables of an uploaded dotenv report. Throws 400. */
export async function readExports(file: { path: string; size: number }): Promise<ExportedVariable[]> {
  if (file.size > MAX_COMPRESSED)
    throw refused(`Dotenv Artifact Too Big. Maximum Allowable Size: ${MAX_BYTES}`)
  return parseDotenv(await readFile(file.path))
}

/** Stores the variables that a job exports. Call it in the transaction that stores its report. */
export function storeExports(
  ctx: Pick<Ctx, 'db' | 'secrets'>,
  jobId: number,
  variables: readonly ExportedVariable[],
): void {
  for (const { key, value } of variables)
    store.upsertExport(ctx.db, jobId, { key, value: ctx.secrets.seal(value, PURPOSE) })
}

/** The variables that a job exported. */
export function exportsOf(ctx: Pick<Ctx, 'db' | 'secrets'>, jobId: number): ExportedVariable[] {
  return store.exportsOf(ctx.db, [jobId]).map((row) => decrypt(ctx, row))
}

/**
 * The variables that the dependencies of a job exported. If several jobs export the same name, the value of the last job
 * is used (spec ci 1.12).
 */
export function exportsFor(ctx: Ctx, job: JobRow): ExportedVariable[] {
  const ids = dependencyJobs(ctx, job).map((dependency) => dependency.id)
  if (ids.length === 0) return []
  const byKey = new Map(store.exportsOf(ctx.db, ids).map((row) => [row.key, row]))
  return [...byKey.values()].map((row) => decrypt(ctx, row))
}

function decrypt({ secrets }: Pick<Ctx, 'secrets'>, { key, value }: store.ExportRow): ExportedVariable {
  return { key, value: secrets.open(value, PURPOSE).toString() }
}
