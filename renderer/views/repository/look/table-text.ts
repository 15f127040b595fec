/** The cells of comma- or tab-separated text, with quoted cells that may hold separators and line ends. Reads `most` rows. */
export const readTable = (text: string, separator: ',' | ';' | '\t', most: number): string[][] => {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let at = 0
  const endRow = () => {
    if (row.length > 0 || cell !== '') rows.push([...row, cell])
    row = []
    cell = ''
  }
  while (at < text.length && rows.length < most) {
    const character = text[at]
    if (character === '"' && cell === '') {
      const end = /(?:[^"]|"")*/y
      end.lastIndex = at + 1
      const quoted = end.exec(text)?.[0] ?? ''
      cell = quoted.replaceAll('""', '"')
      at += quoted.length + 2
      continue
    }
    if (character === separator) {
      row.push(cell)
      cell = ''
    } else if (character === '\n') endRow()
    else cell += character
    at += 1
  }
  if (rows.length < most) endRow()
  return rows
}

/** The cell separator of a file. */
export const separatorOf = (path: string, text: string): ',' | ';' | '\t' => {
  if (/\.tsv$/i.test(path)) return '\t'
  const [first = ''] = text.split('\n', 1)
  return first.split(';').length > first.split(',').length ? ';' : ','
}
