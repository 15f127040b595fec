/** The languages by the names of their files. */
export interface Catalog {
  /** The languages by file name; null if the language does not count. */
  readonly byName: ReadonlyMap<string, string | null>
  /** The languages by extension, in lower case with the dot; null if the language does not count. */
  readonly byExtension: ReadonlyMap<string, string | null>
  /** The languages by their names and aliases in lower case, for `linguist-language` attributes. */
  readonly byWord: ReadonlyMap<string, string>
}

/** The usual language for extensions that several languages share; null if most of these files are not code. */
const USUAL_LANGUAGES: Readonly<Record<string, string | null>> = {
  '.as': 'ActionScript',
  '.asm': 'Assembly',
  '.bas': 'Visual Basic 6.0',
  '.cl': 'OpenCL',
  '.cls': 'TeX',
  '.d': 'D',
  '.es': 'JavaScript',
  '.f': 'Fortran',
  '.for': 'Fortran',
  '.frag': 'GLSL',
  '.fs': 'F#',
  '.gs': 'JavaScript',
  '.h': 'C',
  '.hh': 'C++',
  '.html': 'HTML',
  '.inc': 'PHP',
  '.jq': 'jq',
  '.l': 'Lex',
  '.lean': 'Lean',
  '.m': 'Objective-C',
  '.m4': 'M4',
  '.md': null,
  '.ml': 'OCaml',
  '.mod': 'Modula-2',
  '.nu': 'Nushell',
  '.pl': 'Perl',
  '.pm': 'Perl',
  '.pro': 'Prolog',
  '.r': 'R',
  '.rs': 'Rust',
  '.scm': 'Scheme',
  '.sql': null,
  '.srt': null,
  '.st': 'Smalltalk',
  '.t': 'Perl',
  '.v': 'Verilog',
}

/** The types of languages that count. Data and prose do not. */
const COUNTED_TYPES: readonly string[] = ['programming', 'markup']

/** A language in the package. */
interface LanguageEntry {
  readonly name: string
  readonly type: string
  readonly extensions?: readonly string[]
  readonly filenames?: readonly string[]
  readonly aliases?: readonly string[]
  /** The language as which this one counts. */
  readonly group?: string
}

/** Loads the catalog of languages. Most instances rarely need it, so it is not loaded at the start. */
export async function loadCatalog(): Promise<Catalog> {
  return build(Object.values(await import('linguist-languages')) as LanguageEntry[])
}

/** Creates the catalog. It contains data and prose too, so that no other language gets their extensions. */
function build(all: readonly LanguageEntry[]): Catalog {
  const byName = new Map<string, string | null>()
  const byExtension = new Map<string, string | null>()
  const byWord = new Map<string, string>()
  // A language's main extension takes precedence over other languages' secondary extensions.
  for (const isMain of [true, false]) {
    for (const entry of all) {
      const name = COUNTED_TYPES.includes(entry.type) ? (entry.group ?? entry.name) : null
      if (name !== null) addWords(byWord, entry, name)
      for (const file of entry.filenames ?? []) setFirst(byName, file, name)
      const [main, ...others] = (entry.extensions ?? []).map((extension) => extension.toLowerCase())
      const extensions = isMain ? (main === undefined ? [] : [main]) : others
      for (const extension of extensions) setFirst(byExtension, extension, name)
    }
  }
  for (const [extension, name] of Object.entries(USUAL_LANGUAGES)) byExtension.set(extension, name)
  return { byName, byExtension, byWord }
}

/** Sets the language for a key unless another language has it already. */
function setFirst(map: Map<string, string | null>, key: string, name: string | null): void {
  if (!map.has(key)) map.set(key, name)
}

function addWords(byWord: Map<string, string>, entry: LanguageEntry, name: string): void {
  for (const word of [entry.name, ...(entry.aliases ?? [])]) {
    const key = word.toLowerCase().replaceAll(' ', '-')
    if (!byWord.has(key)) byWord.set(key, name)
  }
}

/** Returns the language of a file by its name, or else its longest known extension. Undefined if it does not count. */
export function languageOf(catalog: Catalog, path: string): string | undefined {
  const file = path.slice(path.lastIndexOf('/') + 1)
  const byName = catalog.byName.get(file)
  if (byName !== undefined) return byName ?? undefined
  for (let dot = file.indexOf('.'); dot !== -1; dot = file.indexOf('.', dot + 1)) {
    const byExtension = catalog.byExtension.get(file.slice(dot).toLowerCase())
    if (byExtension !== undefined) return byExtension ?? undefined
  }
  return undefined
}
