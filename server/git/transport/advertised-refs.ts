import { git, option } from '../args.ts'
import { cachedUntilRefsChange } from '../ref-cache.ts'
import { ZERO_ID } from '../names.ts'
import { refFields } from '../parse.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'
import { packet } from './packets.ts'
import { INTERNAL_REFS, READ_ONLY_REFS } from './transfer-config.ts'

/** A ref that clients may see. */
export interface AdvertisedRef {
  readonly name: string
  readonly oid: string
  /** The object that an annotated tag points to; empty for other refs. */
  readonly peeled: string
}

const MAX_LIST_BYTES = 64 * 1024 * 1024
const REF = refFields({
  name: '%(refname)',
  oid: '%(objectname)',
  peeled: '%(*objectname)',
  peeled_type: '%(*objecttype)',
  symref: '%(symref)',
})

/**
 * The refs that clients may see, sorted by name. The list is cached until a ref changes. Undefined if the repository has
 * refs to other refs or tags of tags, which only git can list.
 */
export async function advertisedRefs(repo: Repo): Promise<readonly AdvertisedRef[] | undefined> {
  return (await cachedUntilRefsChange(repo, 'advertised', () => loadRefs(repo))).list
}

async function loadRefs(
  repo: Repo,
): Promise<{ content: { list: readonly AdvertisedRef[] | undefined }; bytes: number }> {
  const args = git`for-each-ref ${option('--format', REF.format)}`
  const { stdout } = await run(repo, 'refs.list', args, { maxBytes: MAX_LIST_BYTES })
  const rows = REF.parse(stdout)
  const isSimple = rows.every(({ symref, peeled_type }) => symref === '' && peeled_type !== 'tag')
  const visible = rows.filter(({ name }) => !isBelow(INTERNAL_REFS, name))
  const list = isSimple ? visible.map(({ name, oid, peeled }) => ({ name, oid, peeled })) : undefined
  return { content: { list }, bytes: 2 * stdout.length + 200 }
}

function isBelow(prefixes: readonly string[], name: string): boolean {
  return prefixes.some((prefix) => name.startsWith(`${prefix}/`))
}

/** The capabilities in the list of refs that git prints for a push. */
export function capabilitiesIn(advertisement: Buffer): string | undefined {
  const text = advertisement.toString('utf8')
  const start = text.indexOf('\0')
  const end = text.indexOf('\n', start)
  return start < 0 || end < 0 ? undefined : text.slice(start + 1, end)
}

/** The list of refs for a push, in git's format; undefined if only git can print it. */
export async function pushAdvertisement(repo: Repo, capabilities: string): Promise<string | undefined> {
  const refs = (await advertisedRefs(repo))?.filter(({ name }) => !isBelow(READ_ONLY_REFS, name))
  if (refs === undefined) return undefined
  const lines =
    refs.length === 0 ? [`${ZERO_ID} capabilities^{}`] : refs.map(({ oid, name }) => `${oid} ${name}`)
  const [first, ...others] = lines
  return [`${first}\0${capabilities}`, ...others].map((line) => packet(`${line}\n`)).join('') + '0000'
}
