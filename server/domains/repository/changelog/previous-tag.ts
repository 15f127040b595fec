import type { RE2JS } from 're2js'
import { compare, parse, type SemVer } from 'semver'

import type { Tag } from '../../../git/refs.ts'

/**
 * The tag of the last release before a version: the highest one below it, releases on trial aside. Undefined when there
 * is none.
 */
export function previousTag(tags: readonly Tag[], regex: RE2JS, version: string): Tag | undefined {
  const limit = versionIn(version)
  if (!limit) return undefined
  let best: { tag: Tag; version: SemVer } | undefined
  for (const tag of tags) {
    const found = tag.commit === null ? null : versionOf(tag.name, regex)
    if (!found || compare(found, limit) >= 0) continue
    if (!best || compare(found, best.version) > 0) best = { tag, version: found }
  }
  return best?.tag
}

/** The version that stands in a text such as `v1.2.3-rc1`; null when there is none. */
export function versionIn(text: string): SemVer | null {
  const found = /\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?/.exec(text.slice(0, 256))
  return found ? parse(found[0]) : null
}

function versionOf(name: string, regex: RE2JS): SemVer | null {
  const matcher = regex.matcher(name)
  if (!matcher.find()) return null
  const group = (wanted: string): string | null => {
    try {
      return matcher.group(wanted)
    } catch {
      // A regular expression of the project need not have all of them.
      return null
    }
  }
  if (group('pre')) return null
  return parse(`${group('major')}.${group('minor')}.${group('patch')}`)
}
