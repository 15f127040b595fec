/** A search of code: the text, and filters on where it stands. */
export interface BlobQuery {
  readonly text: string
  /** True for a path that passes the filters. */
  readonly accepts: (path: string) => boolean
  readonly hasFilters: boolean
}

const FILTER = /(?:^|\s)(-?)(filename|path|extension):(\S+)/g

/**
 * `*` stands for any characters, upper and lower case alike. Piece by piece rather than by a regular expression, which
 * goes back and forth between many `*` for ages.
 */
function wildcard(text: string): (name: string) => boolean {
  const [head = '', ...rest] = text.toLowerCase().split('*')
  const tail = rest.pop()
  return (given) => {
    const name = given.toLowerCase()
    if (tail === undefined) return name === head
    if (!name.startsWith(head) || !name.endsWith(tail)) return false
    let at = head.length
    for (const piece of rest) {
      const found = name.indexOf(piece, at)
      if (found < 0) return false
      at = found + piece.length
    }
    return at <= name.length - tail.length
  }
}

/**
 * Reads `word filename:*.ts path:src extension:ts`; a filter with `-` in front leaves out what it names. A filter without
 * `*` is found anywhere in the name or path; an extension is compared as a whole.
 */
export function readBlobQuery(search: string): BlobQuery {
  const tests: ((path: string) => boolean)[] = []
  const text = search.replace(FILTER, (_all, minus: string, kind: string, value: string) => {
    const test = testOf(kind, value)
    tests.push(minus ? (path) => !test(path) : test)
    return ' '
  })
  return {
    text: text.trim(),
    accepts: (path) => tests.every((test) => test(path)),
    hasFilters: tests.length > 0,
  }
}

function testOf(kind: string, value: string): (path: string) => boolean {
  const nameOf = (path: string): string => path.split('/').at(-1)!
  if (kind === 'extension') {
    const wanted = `.${value.replace(/^\./, '').toLowerCase()}`
    return (path) => nameOf(path).toLowerCase().endsWith(wanted)
  }
  const fits = wildcard(value.includes('*') ? value : `*${value}*`)
  return kind === 'filename' ? (path) => fits(nameOf(path)) : fits
}
