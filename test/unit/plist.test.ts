import { describe, expect, it } from 'vitest'

import { parsePlist } from '../../server/domains/ci/secure_files/parse/plist.ts'

describe('property lists', () => {
  it('are read with every type of value', () => {
    const source = `<?xml version="1.0"?><!DOCTYPE plist SYSTEM "x"><!-- <dict> --><plist version="1.0"><dict>
      <key>a &lt; b</key><string> kept &#233;&#x1F986; </string><key>n</key><integer>-3</integer><key>r</key><real>1.5</real>
      <key>t</key><true/><key>f</key><false/><key>d</key><data> AQI= </data><key>when</key><date>2023-11-01T10:00:00Z</date>
      <key>empty</key><string/><key>none</key><array/><key>list</key><array><dict/><string>&unknown;</string></array>
      </dict></plist>`
    expect(parsePlist(source)).toEqual({
      'a < b': ' kept é🦆 ',
      n: -3,
      r: 1.5,
      t: true,
      f: false,
      d: Buffer.from([1, 2]),
      when: new Date('2023-11-01T10:00:00Z'),
      empty: '',
      none: [],
      list: [{}, '&unknown;'],
    })
  })

  it.each([
    '',
    'text',
    '<plist></plist>',
    '<dict>',
    '<dict><key>a</key></dict>',
    '<dict><string>a</string></dict>',
    '<dict><key>a</key><key>b</key></dict>',
    '<array></dict>',
    '<string>a',
    '<integer>x</integer>',
    '<date>never</date>',
    '<set></set>',
    '<string/><string/>',
    '<string><dict/></string>',
    '<array>'.repeat(100) + '</array>'.repeat(100),
    '<!ENTITY a "b">',
  ])('are refused: %s', (source) => {
    expect(() => parsePlist(source)).toThrow(TypeError)
  })

  it('are read in linear time', () => {
    for (const source of [
      '<'.repeat(500_000),
      '<!--'.repeat(100_000),
      '&'.repeat(500_000),
      '<array '.repeat(100_000),
    ])
      expect(() => parsePlist(source)).toThrow('Not a property list.')
  })
})
