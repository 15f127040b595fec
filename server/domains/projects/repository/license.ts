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
  /** Phrases of its text, in lower case and with single spaces. */
  readonly phrases: readonly string[]
}

function licensePattern(
  key: string,
  names: { name: string; nickname?: string; source: string },
  ...phrases: string[]
): LicensePattern {
  const html_url = `http://choosealicense.com/licenses/${key}/`
  const license = {
    key,
    name: names.name,
    nickname: names.nickname ?? null,
    html_url,
    source_url: names.source,
  }
  return { license, phrases }
}

const gnuUrl = (file: string) => `https://www.gnu.org/licenses/${file}.txt`

const osiUrl = (file: string) => `https://opensource.org/licenses/${file}`
const REDISTRIBUTION = 'redistribution and use in source and binary forms'
const COPYLEFT = 'gnu general public license'

/** The common licenses. The order matters: a license that contains the phrases of another one comes first. */
const PATTERNS: readonly LicensePattern[] = [
  licensePattern(
    'apache-2.0',
    { name: 'Apache License 2.0', source: 'https://www.apache.org/licenses/LICENSE-2.0' },
    'apache license',
    'version 2.0',
  ),
  licensePattern(
    'agpl-3.0',
    { name: 'GNU Affero General Public License v3.0', nickname: 'GNU AGPLv3', source: gnuUrl('agpl-3.0') },
    'gnu affero general public license',
    'version 3',
  ),
  licensePattern(
    'lgpl-3.0',
    { name: 'GNU Lesser General Public License v3.0', nickname: 'GNU LGPLv3', source: gnuUrl('lgpl-3.0') },
    'gnu lesser general public license',
    'version 3, 29 june 2007',
  ),
  licensePattern(
    'lgpl-2.1',
    { name: 'GNU Lesser General Public License v2.1', nickname: 'GNU LGPLv2.1', source: gnuUrl('lgpl-2.1') },
    'gnu lesser general public license',
    'version 2.1',
  ),
  licensePattern(
    'gpl-3.0',
    { name: 'GNU General Public License v3.0', nickname: 'GNU GPLv3', source: gnuUrl('gpl-3.0') },
    COPYLEFT,
    'version 3, 29 june 2007',
  ),
  licensePattern(
    'gpl-2.0',
    { name: 'GNU General Public License v2.0', nickname: 'GNU GPLv2', source: gnuUrl('gpl-2.0') },
    COPYLEFT,
    'version 2, june 1991',
  ),
  licensePattern(
    'mpl-2.0',
    { name: 'Mozilla Public License 2.0', source: 'https://www.mozilla.org/media/MPL/2.0/index.txt' },
    'mozilla public license version 2.0',
  ),
  licensePattern(
    'epl-2.0',
    { name: 'Eclipse Public License 2.0', source: 'https://www.eclipse.org/legal/epl-2.0' },
    'eclipse public license - v 2.0',
  ),
  licensePattern(
    'epl-1.0',
    { name: 'Eclipse Public License 1.0', source: 'https://www.eclipse.org/legal/epl-v10.html' },
    'eclipse public license - v 1.0',
  ),
  licensePattern(
    'artistic-2.0',
    { name: 'Artistic License 2.0', source: 'https://www.perlfoundation.org/artistic_license_2_0' },
    'artistic license 2.0',
  ),
  licensePattern(
    'bsl-1.0',
    { name: 'Boost Software License 1.0', source: 'https://www.boost.org/LICENSE_1_0.txt' },
    'boost software license - version 1.0',
  ),
  licensePattern(
    'bsd-3-clause',
    { name: 'BSD 3-Clause "New" or "Revised" License', source: osiUrl('BSD-3-Clause') },
    REDISTRIBUTION,
    'endorse or promote products',
  ),
  licensePattern(
    'bsd-2-clause',
    { name: 'BSD 2-Clause "Simplified" License', source: osiUrl('BSD-2-Clause') },
    REDISTRIBUTION,
    'binary form must reproduce',
  ),
  licensePattern(
    'mit',
    { name: 'MIT License', source: osiUrl('MIT') },
    'permission is hereby granted, free of charge, to any person obtaining a copy',
    'the above copyright notice and this permission notice',
  ),
  licensePattern(
    'mit-0',
    { name: 'MIT No Attribution', source: 'https://opensource.org/license/mit-0' },
    'permission is hereby granted, free of charge, to any person obtaining a copy',
    'mit no attribution',
  ),
  licensePattern(
    'isc',
    { name: 'ISC License', source: osiUrl('ISC') },
    'permission to use, copy, modify, and/or distribute this software',
    'provided that the above copyright notice and this permission notice appear',
  ),
  licensePattern(
    '0bsd',
    { name: 'BSD Zero Clause License', source: osiUrl('0BSD') },
    'permission to use, copy, modify, and/or distribute this software',
  ),
  licensePattern(
    'unlicense',
    { name: 'The Unlicense', source: 'https://unlicense.org/' },
    'this is free and unencumbered software released into the public domain',
  ),
  licensePattern(
    'cc0-1.0',
    {
      name: 'Creative Commons Zero v1.0 Universal',
      source: 'https://creativecommons.org/publicdomain/zero/1.0/',
    },
    'cc0 1.0 universal',
  ),
  licensePattern(
    'cc-by-sa-4.0',
    {
      name: 'Creative Commons Attribution Share Alike 4.0 International',
      source: 'https://creativecommons.org/licenses/by-sa/4.0/',
    },
    'attribution-sharealike 4.0 international',
  ),
  licensePattern(
    'cc-by-4.0',
    {
      name: 'Creative Commons Attribution 4.0 International',
      source: 'https://creativecommons.org/licenses/by/4.0/',
    },
    'attribution 4.0 international',
  ),
  licensePattern(
    'wtfpl',
    { name: 'Do What The F*ck You Want To Public License', source: 'http://www.wtfpl.net/about/' },
    'do what the fuck you want to public license',
  ),
  licensePattern(
    'zlib',
    { name: 'zlib License', source: osiUrl('Zlib') },
    "this software is provided 'as-is', without any express or implied warranty",
    'altered source versions must be plainly marked',
  ),
]

/** Returns a common license by its key. */
export function licenseByKey(key: string): License | undefined {
  return PATTERNS.find((entry) => entry.license.key === key)?.license
}

const OTHER_LICENSE: License = { key: 'other', name: 'Other', nickname: null, html_url: '', source_url: '' }

/** Returns the license of a text; "other" if it is not a common one. */
export function recognizeLicense(text: string): License {
  const words = text.toLowerCase().replace(/[\s*#>]+/g, ' ')
  // GNU licenses mention related licenses further down; their own name is at the top.
  const head = words.slice(0, 3000)
  const match = PATTERNS.find((entry) =>
    entry.phrases.every((phrase) => (phrase.includes('gnu') ? head : words).includes(phrase)),
  )
  return match?.license ?? OTHER_LICENSE
}

/** The license of a project, and its file. */
export interface DetectedLicense {
  readonly path: string
  readonly license: License
}

/** File names of licenses, the most likely first. */
const FILE_NAMES: readonly RegExp[] = [
  /^(un)?licen[sc]e$/i,
  /^(un)?licen[sc]e\.(md|markdown|txt|rst|adoc|html)$/i,
  /^copying(\.(md|markdown|txt))?$/i,
  /^(un)?licen[sc]e[.-][\w.-]+$/i,
  /^copying[.-][\w.-]+$/i,
]

/** The largest license file that is read. */
const MAX_BYTES = 256 * 1024

function chooseLicenseFile(entries: readonly TreeEntry[]): TreeEntry | undefined {
  const files = entries.filter((entry) => entry.type === 'blob')
  for (const pattern of FILE_NAMES) {
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
    ctx.log.warn({ err: error, project_id: project.id }, 'the license of a project could not be read')
    return null
  }
}

async function findLicense(repo: Repo, branch: string): Promise<DetectedLicense | null> {
  const tip = await branchTip(repo, branch)
  const entry = tip === null ? undefined : chooseLicenseFile((await listTree(repo, tip))?.entries ?? [])
  if (!entry) return null
  const blob = await readBlob(repo, entry.id, { maxBytes: MAX_BYTES })
  return blob && { path: entry.path, license: recognizeLicense(blob.content.toString('utf8')) }
}
