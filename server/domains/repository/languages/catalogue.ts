/** Finds the language of a file by its name. */
export interface Catalogue {
  /** The value is null for languages that do not count. */
  readonly byName: ReadonlyMap<string, string | null>
  readonly byExtension: ReadonlyMap<string, string | null>
  /** Every language by its lower-case name, for `linguist-language` attributes. */
  readonly byWord: ReadonlyMap<string, string>
}

/** Endings that several languages share, with the language of nearly all such files; null means no code. */
const USUAL: Readonly<Record<string, string | null>> = {
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

/** Only code counts, not data and not prose. */
const COUNTED: readonly string[] = ['programming', 'markup']

interface Described {
  readonly name: string
  readonly type: string
  readonly extensions?: readonly string[]
  readonly filenames?: readonly string[]
  readonly aliases?: readonly string[]
  /** The language that this one is counted as. */
  readonly group?: string
}

/** Loads the catalogue of languages. Most instances rarely need it, so the start does not load it. */
export async function loadCatalogue(): Promise<Catalogue> {
  return build(Object.values(await import('linguist-languages')) as Described[])
}

/** Data and prose languages are listed too, so that no other language claims their endings; they do not count. */
function build(all: readonly Described[]): Catalogue {
  const byName = new Map<string, string | null>()
  const byExtension = new Map<string, string | null>()
  const byWord = new Map<string, string>()
  // A language's main extension takes precedence over other languages' secondary extensions.
  for (const isMain of [true, false]) {
    for (const entry of all) {
      const name = COUNTED.includes(entry.type) ? (entry.group ?? entry.name) : null
      if (name !== null) addWords(byWord, entry, name)
      for (const file of entry.filenames ?? []) keep(byName, file, name)
      const [main, ...others] = (entry.extensions ?? []).map((ending) => ending.toLowerCase())
      const endings = isMain ? (main === undefined ? [] : [main]) : others
      for (const ending of endings) keep(byExtension, ending, name)
    }
  }
  for (const [ending, name] of Object.entries(USUAL)) byExtension.set(ending, name)
  return { byName, byExtension, byWord }
}

/** If several languages have a name, the first one keeps it. */
function keep(map: Map<string, string | null>, key: string, name: string | null): void {
  if (!map.has(key)) map.set(key, name)
}

function addWords(byWord: Map<string, string>, entry: Described, name: string): void {
  for (const word of [entry.name, ...(entry.aliases ?? [])]) {
    const key = word.toLowerCase().replaceAll(' ', '-')
    if (!byWord.has(key)) byWord.set(key, name)
  }
}

/** Returns the language of a file by its name; undefined if it does not count. The longest known ending decides. */
export function languageOf(catalogue: Catalogue, path: string): string | undefined {
  const file = path.slice(path.lastIndexOf('/') + 1)
  const byName = catalogue.byName.get(file)
  if (byName !== undefined) return byName ?? undefined
  for (let dot = file.indexOf('.'); dot !== -1; dot = file.indexOf('.', dot + 1)) {
    const byExtension = catalogue.byExtension.get(file.slice(dot).toLowerCase())
    if (byExtension !== undefined) return byExtension ?? undefined
  }
  return undefined
}
