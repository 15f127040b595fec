import { describe, expect, it } from 'vitest'

import { bundledEnvironment } from '../../server/git/process/bundled.ts'

describe('the environment of the bundled git', () => {
  it('names its programs, templates and authorities on Linux', () => {
    expect(bundledEnvironment('/opt/d/git/bin/git', 'linux')).toEqual({
      GIT_EXEC_PATH: '/opt/d/git/libexec/git-core',
      GIT_TEMPLATE_DIR: '/opt/d/git/share/git-core/templates',
      PREFIX: '/opt/d/git',
      GIT_SSL_CAINFO: '/opt/d/git/ssl/cacert.pem',
    })
  })

  it('leaves the authorities to the system on macOS', () => {
    expect(Object.keys(bundledEnvironment('/Applications/d/git/bin/git', 'darwin'))).toEqual([
      'GIT_EXEC_PATH',
      'GIT_TEMPLATE_DIR',
    ])
  })

  it('puts its shell on the path on Windows', () => {
    const env = bundledEnvironment('C:\\d\\git\\cmd\\git.exe', 'win32', { PATH: 'C:\\Windows', arch: 'x64' })
    expect(env).toEqual({
      PATH: 'C:\\d\\git\\mingw64\\bin;C:\\d\\git\\usr\\bin;C:\\Windows',
      GIT_EXEC_PATH: 'C:\\d\\git\\mingw64\\libexec\\git-core',
    })
  })
})
