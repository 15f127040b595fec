/** Permissions, conditions and limitations of a license, in the contract's words. */
export interface Terms {
  readonly key: string
  /** The SPDX identifier of the license. */
  readonly spdx: string
  /** True for popular licenses. */
  readonly popular: boolean
  readonly description: string
  readonly permissions: readonly string[]
  readonly conditions: readonly string[]
  readonly limitations: readonly string[]
}

const USES = ['commercial-use', 'modifications', 'distribution', 'private-use']
const WITH_PATENTS = ['commercial-use', 'modifications', 'distribution', 'patent-use', 'private-use']
const NO_CLAIMS = ['liability', 'warranty']

/** The licenses that a new project can have. */
export const TERMS: readonly Terms[] = [
  {
    key: 'agpl-3.0',
    spdx: 'AGPL-3.0-only',
    popular: true,
    description:
      'Strong copyleft that also covers use over a network: anyone who offers a changed version as a service must give its source to the users.',
    permissions: WITH_PATENTS,
    conditions: [
      'include-copyright',
      'document-changes',
      'disclose-source',
      'network-use-disclose',
      'same-license',
    ],
    limitations: NO_CLAIMS,
  },
  {
    key: 'apache-2.0',
    spdx: 'Apache-2.0',
    popular: true,
    description:
      'Permissive, with an explicit grant of patents. Notices are kept and changed files say so; larger works may have other terms.',
    permissions: WITH_PATENTS,
    conditions: ['include-copyright', 'document-changes'],
    limitations: ['liability', 'trademark-use', 'warranty'],
  },
  {
    key: 'bsd-2-clause',
    spdx: 'BSD-2-Clause',
    popular: true,
    description:
      'Permissive and short: the copyright notice and the disclaimer stay with source and binaries.',
    permissions: USES,
    conditions: ['include-copyright'],
    limitations: NO_CLAIMS,
  },
  {
    key: 'bsd-3-clause',
    spdx: 'BSD-3-Clause',
    popular: true,
    description:
      'Like the two-clause form; in addition, the names of the authors may not be used to promote derived works.',
    permissions: USES,
    conditions: ['include-copyright'],
    limitations: NO_CLAIMS,
  },
  {
    key: 'bsl-1.0',
    spdx: 'BSL-1.0',
    popular: true,
    description: 'Permissive; only source must contain the notice, binaries need not.',
    permissions: USES,
    conditions: ['include-copyright--source'],
    limitations: NO_CLAIMS,
  },
  {
    key: 'cc0-1.0',
    spdx: 'CC0-1.0',
    popular: true,
    description: 'Gives up all rights as far as the law allows, and is as good as the public domain.',
    permissions: USES,
    conditions: [],
    limitations: ['liability', 'trademark-use', 'patent-use', 'warranty'],
  },
  {
    key: 'epl-2.0',
    spdx: 'EPL-2.0',
    popular: true,
    description:
      'Copyleft for the work itself, designed for business use: additional modules may have other terms.',
    permissions: WITH_PATENTS,
    conditions: ['disclose-source', 'include-copyright', 'same-license'],
    limitations: NO_CLAIMS,
  },
  {
    key: 'gpl-2.0',
    spdx: 'GPL-2.0-only',
    popular: true,
    description:
      'Copyleft: anyone who distributes a changed version must give its source under the same terms. The second version.',
    permissions: USES,
    conditions: ['include-copyright', 'document-changes', 'disclose-source', 'same-license'],
    limitations: NO_CLAIMS,
  },
  {
    key: 'gpl-3.0',
    spdx: 'GPL-3.0-only',
    popular: true,
    description:
      'Copyleft: anyone who distributes a changed version must give its source under the same terms, and a grant of patents.',
    permissions: WITH_PATENTS,
    conditions: ['include-copyright', 'document-changes', 'disclose-source', 'same-license'],
    limitations: NO_CLAIMS,
  },
  {
    key: 'lgpl-2.1',
    spdx: 'LGPL-2.1-only',
    popular: true,
    description:
      'Copyleft for libraries: programs that only use the library may have other terms. Version 2.1.',
    permissions: USES,
    conditions: ['include-copyright', 'document-changes', 'disclose-source', 'same-license--library'],
    limitations: NO_CLAIMS,
  },
  {
    key: 'mit',
    spdx: 'MIT',
    popular: true,
    description:
      'Short and permissive: the copyright notice and the text of the license stay with every copy.',
    permissions: USES,
    conditions: ['include-copyright'],
    limitations: NO_CLAIMS,
  },
  {
    key: 'mpl-2.0',
    spdx: 'MPL-2.0',
    popular: true,
    description:
      'Copyleft file by file: changed files stay under these terms, a larger work may have others.',
    permissions: WITH_PATENTS,
    conditions: ['disclose-source', 'include-copyright', 'same-license--file'],
    limitations: ['liability', 'trademark-use', 'warranty'],
  },
  {
    key: 'unlicense',
    spdx: 'Unlicense',
    popular: true,
    description: 'Dedicates the work to the public domain, without any condition.',
    permissions: USES,
    conditions: [],
    limitations: NO_CLAIMS,
  },
  {
    key: '0bsd',
    spdx: '0BSD',
    popular: false,
    description: 'Permissive without any condition, not even that a notice is kept.',
    permissions: USES,
    conditions: [],
    limitations: NO_CLAIMS,
  },
  {
    key: 'artistic-2.0',
    spdx: 'Artistic-2.0',
    popular: false,
    description:
      'Designed for Perl: changed versions are distributed under another name, or with their source.',
    permissions: WITH_PATENTS,
    conditions: ['include-copyright', 'document-changes'],
    limitations: ['liability', 'trademark-use', 'warranty'],
  },
  {
    key: 'cc-by-4.0',
    spdx: 'CC-BY-4.0',
    popular: false,
    description:
      'For texts and media rather than software: everything is allowed if the author is named and changes are described.',
    permissions: USES,
    conditions: ['include-copyright', 'document-changes'],
    limitations: ['liability', 'trademark-use', 'patent-use', 'warranty'],
  },
  {
    key: 'cc-by-sa-4.0',
    spdx: 'CC-BY-SA-4.0',
    popular: false,
    description: 'Like CC BY, and derived works keep the same terms.',
    permissions: USES,
    conditions: ['include-copyright', 'document-changes', 'same-license'],
    limitations: ['liability', 'trademark-use', 'patent-use', 'warranty'],
  },
  {
    key: 'epl-1.0',
    spdx: 'EPL-1.0',
    popular: false,
    description:
      'The first version of the Eclipse license: copyleft for the work itself, designed for business use.',
    permissions: WITH_PATENTS,
    conditions: ['disclose-source', 'include-copyright', 'same-license'],
    limitations: NO_CLAIMS,
  },
  {
    key: 'isc',
    spdx: 'ISC',
    popular: false,
    description: 'Equivalent to the two-clause BSD license, in fewer words.',
    permissions: USES,
    conditions: ['include-copyright'],
    limitations: NO_CLAIMS,
  },
  {
    key: 'lgpl-3.0',
    spdx: 'LGPL-3.0-only',
    popular: false,
    description: 'Copyleft for libraries, on top of the third version of the GPL.',
    permissions: WITH_PATENTS,
    conditions: ['include-copyright', 'document-changes', 'disclose-source', 'same-license--library'],
    limitations: NO_CLAIMS,
  },
  {
    key: 'mit-0',
    spdx: 'MIT-0',
    popular: false,
    description: 'The MIT license without the condition to keep its notice.',
    permissions: USES,
    conditions: [],
    limitations: NO_CLAIMS,
  },
  {
    key: 'wtfpl',
    spdx: 'WTFPL',
    popular: false,
    description: 'No conditions: do what you want.',
    permissions: USES,
    conditions: [],
    limitations: [],
  },
  {
    key: 'zlib',
    spdx: 'Zlib',
    popular: false,
    description:
      'Permissive: changed source must be marked as changed, and no one may claim to be its original author.',
    permissions: USES,
    conditions: ['include-copyright--source', 'document-changes'],
    limitations: NO_CLAIMS,
  },
]
