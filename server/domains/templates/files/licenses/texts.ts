/**
 * The texts, each loaded when it is first asked for. The list of SPDX is in the public domain; packages of the list are
 * bundled one by one, because all of them together are six megabytes.
 */
const TEXTS: Readonly<Record<string, () => Promise<{ default: { licenseText: string } }>>> = {
  'AGPL-3.0-only': () => import('spdx-license-list/licenses/AGPL-3.0-only.json', { with: { type: 'json' } }),
  'Apache-2.0': () => import('spdx-license-list/licenses/Apache-2.0.json', { with: { type: 'json' } }),
  'BSD-2-Clause': () => import('spdx-license-list/licenses/BSD-2-Clause.json', { with: { type: 'json' } }),
  'BSD-3-Clause': () => import('spdx-license-list/licenses/BSD-3-Clause.json', { with: { type: 'json' } }),
  'BSL-1.0': () => import('spdx-license-list/licenses/BSL-1.0.json', { with: { type: 'json' } }),
  'CC0-1.0': () => import('spdx-license-list/licenses/CC0-1.0.json', { with: { type: 'json' } }),
  'EPL-2.0': () => import('spdx-license-list/licenses/EPL-2.0.json', { with: { type: 'json' } }),
  'GPL-2.0-only': () => import('spdx-license-list/licenses/GPL-2.0-only.json', { with: { type: 'json' } }),
  'GPL-3.0-only': () => import('spdx-license-list/licenses/GPL-3.0-only.json', { with: { type: 'json' } }),
  'LGPL-2.1-only': () => import('spdx-license-list/licenses/LGPL-2.1-only.json', { with: { type: 'json' } }),
  MIT: () => import('spdx-license-list/licenses/MIT.json', { with: { type: 'json' } }),
  'MPL-2.0': () => import('spdx-license-list/licenses/MPL-2.0.json', { with: { type: 'json' } }),
  Unlicense: () => import('spdx-license-list/licenses/Unlicense.json', { with: { type: 'json' } }),
  '0BSD': () => import('spdx-license-list/licenses/0BSD.json', { with: { type: 'json' } }),
  'Artistic-2.0': () => import('spdx-license-list/licenses/Artistic-2.0.json', { with: { type: 'json' } }),
  'CC-BY-4.0': () => import('spdx-license-list/licenses/CC-BY-4.0.json', { with: { type: 'json' } }),
  'CC-BY-SA-4.0': () => import('spdx-license-list/licenses/CC-BY-SA-4.0.json', { with: { type: 'json' } }),
  'EPL-1.0': () => import('spdx-license-list/licenses/EPL-1.0.json', { with: { type: 'json' } }),
  ISC: () => import('spdx-license-list/licenses/ISC.json', { with: { type: 'json' } }),
  'LGPL-3.0-only': () => import('spdx-license-list/licenses/LGPL-3.0-only.json', { with: { type: 'json' } }),
  'MIT-0': () => import('spdx-license-list/licenses/MIT-0.json', { with: { type: 'json' } }),
  WTFPL: () => import('spdx-license-list/licenses/WTFPL.json', { with: { type: 'json' } }),
  Zlib: () => import('spdx-license-list/licenses/Zlib.json', { with: { type: 'json' } }),
}

/** The text of a licence with the gaps of the list: `<year>`, `<copyright holders>`. */
export async function textOf(spdx: string): Promise<string> {
  const text = (await TEXTS[spdx]!()).default.licenseText
  return text.endsWith('\n') ? text : `${text}\n`
}

/** What the gaps for years and names are called, in all the ways in which authors wrote them. */
const YEAR = /<year>|\[year\]|\[yyyy\]|<yyyy>/gi
const HOLDER =
  /<copyright holders?>|<owner>|<name of author>|\[fullname\]|\[name of copyright owner\]|<your name>|<name of copyright owner>/gi
const PROJECT =
  /<program>|<one line to give the (?:program|library)'s name and (?:a brief|an) idea of what it does\.>/gi

/** The text with what is known put into its gaps. */
export function filled(
  text: string,
  given: { year: string; fullname?: string | undefined; project?: string | undefined },
): string {
  let result = text.replace(YEAR, () => given.year)
  if (given.fullname) result = result.replace(HOLDER, () => given.fullname!)
  if (given.project) result = result.replace(PROJECT, () => given.project!)
  return result
}
