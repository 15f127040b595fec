import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { secureFileContent } from './content.ts'
import { SecureFileRead } from './events.ts'
import { extensionOf } from './entity.ts'
import type { Description } from './parse/certificate.ts'
import * as store from './store.ts'

type Parser = (content: Buffer) => Description

/** What reads a kind of file, by the ending of its name. Loaded when the first such file comes: few ever do. */
const PARSERS: Readonly<Record<string, () => Promise<Parser>>> = {
  cer: async () => (await import('./parse/certificate.ts')).describeCertificate,
  p12: async () => (await import('./parse/p12.ts')).describeP12,
  mobileprovision: async () => (await import('./parse/profile.ts')).describeProfile,
}

/** What is noted of one file, characters of JSON; a profile for a thousand devices takes a twentieth. */
const MOST_METADATA = 1024 * 1024
/** Largest file that is read, bytes: real ones have a tenth, and reading holds everybody up. */
const MOST_CONTENT = 1024 * 1024

function parserOf(name: string): (() => Promise<Parser>) | undefined {
  const extension = extensionOf(name)
  return extension !== undefined && Object.hasOwn(PARSERS, extension) ? PARSERS[extension] : undefined
}

/** True for the name of a file that can be parsed. */
export function isParsed(name: string): boolean {
  return parserOf(name) !== undefined
}

/** Notes what a certificate or profile says of itself. What cannot be read is logged, and the file stays as it is. */
export async function describe(ctx: Ctx, id: number): Promise<void> {
  const row = store.byId(ctx.db, id)
  const load = row && parserOf(row.name)
  if (!row || !load || row.size > MOST_CONTENT) return
  const content = await secureFileContent(ctx, row)
  const parse = await load()
  const found = attempt(() => parse(content))
  const metadata = found && JSON.stringify(found)
  if (!found || metadata!.length > MOST_METADATA || !isMoment(found.expires_at)) {
    ctx.log.warn({ secure_file_id: id }, 'a secure file could not be read as what its name says')
    return
  }
  tx(ctx.db, () => {
    if (!store.describe(ctx.db, id, { metadata: metadata!, expires_at: found.expires_at })) return
    publish(ctx, SecureFileRead, { project_id: row.project_id, secure_file_id: id, actor_id: null })
  })
}

/** The wire format has years of four digits only. */
function isMoment(time: string | null): boolean {
  return time === null || time.length === 24
}

/** The reason is not kept: it may quote what must not be in the log. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
