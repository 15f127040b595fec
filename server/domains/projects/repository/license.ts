import type { Ctx } from '../../../ctx.ts'
import { readBlob } from '../../../git/read/blob.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import { type TreeEntry, listTree } from '../../../git/read/tree.ts'
import type { Repo } from '../../../git/types.ts'
import type { Project } from '../types.ts'
import { repoOf } from './repository.ts'

/** A license as the API shows it. */
export interface License {
  readonly key: string
  readonly name: string
  readonly nickname: string | null
  readonly html_url: string
  readonly source_url: string
}

interface LicensePattern {
  readonly license: License
  /** Words of its text, in lower case and separated by single spaces. */
  readonly words: readonly string[]
}

function knownLicense(
  key: string,
  names: { name: string; nickname?: string; source: string },
  ...words: string[]
): LicensePattern {
  const html_url = `http://choosealicense.com/licenses/${key}/`
  const license = {
    key,
    name: names.name,
    nickname: names.nickname ?? null,
    html_url,
    source_url: names.source,
  }
  return { license, words }
}

const gnu = (file: string) => `https://www.gnu.org/licenses/${file}.txt`

const osi = (file: string) => `https://opensource.org/licenses/${file}`
const REDISTRIBUTION = 'redistribution and use in source and binary forms'
const COPYLEFT = 'gnu general public license'

/** The common licenses. The order matters: a license that contains another one's words precedes it. */
const KNOWN: readonly LicensePattern[] = [
  knownLicense(
    'apache-2.0',
    { name: 'Apache License 2.0', source: 'https://www.apache.org/licenses/LICENSE-2.0' },
    'apache license',
    'version 2.0',
  ),
  knownLicense(
    'agpl-3.0',
    { name: 'GNU Affero General Public License v3.0', nickname: 'GNU AGPLv3', source: gnu('agpl-3.0') },
    'gnu affero general public license',
    'version 3',
  ),
  knownLicense(
    'lgpl-3.0',
    { name: 'GNU Lesser General Public License v3.0', nickname: 'GNU LGPLv3', source: gnu('lgpl-3.0') },
    'gnu lesser general public license',
    'version 3, 29 june 2007',
  ),
  knownLicense(
    'lgpl-2.1',
    { name: 'GNU Lesser General Public License v2.1', nickname: 'GNU LGPLv2.1', source: gnu('lgpl-2.1') },
    'gnu lesser general public license',
    'version 2.1',
  ),
  knownLicense(
    'gpl-3.0',
    { name: 'GNU General Public License v3.0', nickname: 'GNU GPLv3', source: gnu('gpl-3.0') },
    COPYLEFT,
    'version 3, 29 june 2007',
  ),
  knownLicense(
    'gpl-2.0',
    { name: 'GNU General Public License v2.0', nickname: 'GNU GPLv2', source: gnu('gpl-2.0') },
    COPYLEFT,
    'version 2, june 1991',
  ),
  knownLicense(
    'mpl-2.0',
    { name: 'Mozilla Public License 2.0', source: 'https://www.mozilla.org/media/MPL/2.0/index.txt' },
    'mozilla public license version 2.0',
  ),
  knownLicense(
    'epl-2.0',
    { name: 'Eclipse Public License 2.0', source: 'https://www.eclipse.org/legal/epl-2.0' },
    'eclipse public license - v 2.0',
  ),
  knownLicense(
    'epl-1.0',
    { name: 'Eclipse Public License 1.0', source: 'https://www.eclipse.org/legal/epl-v10.html' },
    'eclipse public license - v 1.0',
  ),
  knownLicense(
    'artistic-2.0',
    { name: 'Artistic License 2.0', source: 'https://www.perlfoundation.org/artistic_license_2_0' },
    'artistic license 2.0',
  ),
  knownLicense(
    'bsl-1.0',
    { name: 'Boost Software License 1.0', source: 'https://www.boost.org/LICENSE_1_0.txt' },
    'boost software license - version 1.0',
  ),
  knownLicense(
    'bsd-3-clause',
    { name: 'BSD 3-Clause "New" or "Revised" License', source: osi('BSD-3-Clause') },
    REDISTRIBUTION,
    'endorse or promote products',
  ),
  knownLicense(
    'bsd-2-clause',
    { name: 'BSD 2-Clause "Simplified" License', source: osi('BSD-2-Clause') },
    REDISTRIBUTION,
    'binary form must reproduce',
  ),
  knownLicense(
    'mit',
    { name: 'MIT License', source: osi('MIT') },
    'permission is hereby granted, free of charge, to any person obtaining a copy',
    'the above copyright notice and this permission notice',
  ),
  knownLicense(
    'mit-0',
    { name: 'MIT No Attribution', source: 'https://opensource.org/license/mit-0' },
    'permission is hereby granted, free of charge, to any person obtaining a copy',
    'mit no attribution',
  ),
  knownLicense(
    'isc',
    { name: 'ISC License', source: osi('ISC') },
    'permission to use, copy, modify, and/or distribute this software',
    'provided that the above copyright notice and this permission notice appear',
  ),
  knownLicense(
    '0bsd',
    { name: 'BSD Zero Clause License', source: osi('0BSD') },
    'permission to use, copy, modify, and/or distribute this software',
  ),
  knownLicense(
    'unlicense',
    { name: 'The Unlicense', source: 'https://unlicense.org/' },
    'this is free and unencumbered software released into the public domain',
  ),
  knownLicense(
    'cc0-1.0',
    {
      name: 'Creative Commons Zero v1.0 Universal',
      source: 'https://creativecommons.org/publicdomain/zero/1.0/',
    },
    'cc0 1.0 universal',
  ),
  knownLicense(
    'cc-by-sa-4.0',
    {
      name: 'Creative Commons Attribution Share Alike 4.0 International',
      source: 'https://creativecommons.org/licenses/by-sa/4.0/',
    },
    'attribution-sharealike 4.0 international',
  ),
  knownLicense(
    'cc-by-4.0',
    {
      name: 'Creative Commons Attribution 4.0 International',
      source: 'https://creativecommons.org/licenses/by/4.0/',
    },
    'attribution 4.0 international',
  ),
  knownLicense(
    'wtfpl',
    { name: 'Do What The F*ck You Want To Public License', source: 'http://www.wtfpl.net/about/' },
    'do what the fuck you want to public license',
  ),
  knownLicense(
    'zlib',
    { name: 'zlib License', source: osi('Zlib') },
    "this software is provided 'as-is', without any express or implied warranty",
    'altered source versions must be plainly marked',
  ),
]

/** Returns a common license by its key. */
export function licenseByKey(key: string): License | undefined {
  return KNOWN.find((entry) => entry.license.key === key)?.license
}

const OTHER: License = { key: 'other', name: 'Other', nickname: null, html_url: '', source_url: '' }

/** Returns the license of a text; "other" if it is not a common one. */
export function recognise(text: string): License {
  const words = text.toLowerCase().replace(/[\s*#>]+/g, ' ')
  // GNU licenses mention related licenses further down; their own name is at the top.
  const head = words.slice(0, 3000)
  const match = KNOWN.find((entry) =>
    entry.words.every((part) => (part.includes('gnu') ? head : words).includes(part)),
  )
  return match?.license ?? OTHER
}

/** The license of a project, and its file. */
export interface DetectedLicense {
  readonly path: string
  readonly shown: License
}

/** File names of licenses, the most likely first. */
const NAMES: readonly RegExp[] = [
  /^(un)?licen[sc]e$/i,
  /^(un)?licen[sc]e\.(md|markdown|txt|rst|adoc|html)$/i,
  /^copying(\.(md|markdown|txt))?$/i,
  /^(un)?licen[sc]e[.-][\w.-]+$/i,
  /^copying[.-][\w.-]+$/i,
]

/** The largest license file that is read. */
const MAX_BYTES = 256 * 1024

function choose(entries: readonly TreeEntry[]): TreeEntry | undefined {
  const files = entries.filter((entry) => entry.type === 'blob')
  for (const pattern of NAMES) {
    const file = files.find((entry) => pattern.test(entry.name))
    if (file) return file
  }
  return undefined
}

/** Returns the license in the current default branch, or null. The git layer caches commits, trees and small files. */
export async function licenseOf(ctx: Ctx, project: Project): Promise<DetectedLicense | null> {
  if (project.empty_repo) return null
  try {
    return await findLicense(repoOf(ctx, project), project.default_branch)
  } catch (error) {
    // A repository that cannot be read must not hide the project.
    ctx.log.warn({ err: error, project_id: project.id }, 'the licence of a project could not be read')
    return null
  }
}

async function findLicense(repo: Repo, branch: string): Promise<DetectedLicense | null> {
  const tip = await branchTip(repo, branch)
  const entry = tip === null ? undefined : choose((await listTree(repo, tip))?.entries ?? [])
  if (!entry) return null
  const blob = await readBlob(repo, entry.id, { maxBytes: MAX_BYTES })
  return blob && { path: entry.path, shown: recognise(blob.content.toString('utf8')) }
}
