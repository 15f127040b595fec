import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

import { createMessage, generateKey, readPrivateKey, sign } from 'openpgp'
import { afterAll, describe, expect, it } from 'vitest'

import { onDisk } from '../fill.ts'
import { cleanEnv, shell, tempDir } from '../../../support/git.ts'
import { isPossible } from '../../../support/possible.ts'
import { world } from '../../../support/world.ts'

const instance = await world()
const { as, make } = instance
const ada = make.user({ username: 'ada' })
const ben = make.user({ username: 'ben' })
const project = await make.project({ owner: ada, with: 'readme', visibility: 'public' })
const at = `/projects/${project.id}/repository`
const repo = onDisk(instance, project)

const has = (program: string) => spawnSync(program, ['--version']).error === undefined

/** Writes an unchanged commit or tag object; returns its ID. */
function put(type: 'commit' | 'tag', content: string): string {
  return shell(repo, ['hash-object', '-t', type, '-w', '--stdin'], content)
}

// The certificates of the tests are valid from now on.
const time = Math.floor(Date.now() / 1000) + 60
const tree = shell(repo, ['rev-parse', 'HEAD^{tree}'])
const head = (email: string, message: string) =>
  `tree ${tree}\nauthor A <${email}> ${time} +0000\ncommitter A <${email}> ${time} +0000\n\n${message}\n`

type Signer = (payload: string) => string | Promise<string>

/** A signed commit. `change` modifies the content after it was signed. */
async function commit(email: string, signer: Signer, change = (text: string) => text): Promise<string> {
  const payload = head(email, `By ${email} ${Math.random()}`)
  const armored = (await signer(payload)).trim().split('\n').join('\n ')
  return put('commit', change(payload).replace('\n\n', `\ngpgsig ${armored}\n\n`))
}

/** A signed tag, and its name. */
async function tag(email: string, signer: Signer): Promise<string> {
  const name = `v${Math.random()}`
  const target = shell(repo, ['rev-parse', 'HEAD'])
  const payload = `object ${target}\ntype commit\ntag ${name}\ntagger A <${email}> ${time} +0000\n\nVersion\n`
  shell(repo, ['update-ref', `refs/tags/${name}`, put('tag', payload + (await signer(payload)))])
  return name
}

const ofCommit = async (id: string, who = null as typeof ada | null) =>
  (await as(who).get(`${at}/commits/${id}/signature`)).body
const ofTag = async (name: string) => (await as(null).get(`${at}/tags/${name}/signature`)).body

describe('an unsigned commit or tag', () => {
  it('has no signature', async () => {
    const none = { message: '404 Signature Not Found' }
    expect(await ofCommit('main')).toEqual(none)
    const listed = (id: string) =>
      as(null).get(`/-/projects/${project.id}/repository/commits/${id}/signatures`)
    expect((await listed('main')).body).toEqual([])
    expect((await listed('nope')).body).toEqual({ message: '404 Commit Not Found' })
    shell(repo, ['tag', 'light', 'main'])
    expect(await ofTag('light')).toEqual(none)
    shell(repo, [
      '-c',
      'user.name=A',
      '-c',
      'user.email=a@x',
      'tag',
      '-a',
      '-m',
      'Plain',
      'annotated',
      'main',
    ])
    expect(await ofTag('annotated')).toEqual(none)
    expect(await ofCommit(await commit('ada@example.test', () => 'garbage'))).toEqual(none)
    expect(await ofCommit('nope')).toEqual({ message: '404 Commit Not Found' })
    expect(await ofCommit('0'.repeat(40))).toEqual({ message: '404 Commit Not Found' })
    expect(await ofTag('nope')).toEqual({ message: '404 Tag Not Found' })
  })

  it('is hidden from callers who may not read the code', async () => {
    const hidden = await make.project({ owner: ada, with: 'readme' })
    const path = `/projects/${hidden.id}/repository/commits/main/signature`
    expect((await as(ben).get(path)).body).toEqual({ message: '404 Project Not Found' })
    await make.member('projects', hidden.id, ben, 10)
    expect((await as(ben).get(path)).status).toBe(403)
  })
})

/** A key pair, and a function that signs with it. */
async function pgp(...emails: string[]) {
  const userIDs = emails.map((email) => ({ name: 'Ada', email }))
  const { privateKey, publicKey } = await generateKey({
    userIDs,
    format: 'armored',
    subkeys: [{ sign: true }],
  })
  const signingKeys = await readPrivateKey({ armoredKey: privateKey })
  const signer: Signer = async (payload) => {
    const message = await createMessage({ binary: new TextEncoder().encode(payload) })
    return sign({ message, signingKeys, detached: true, date: new Date() })
  }
  return { publicKey, signer }
}
const addPgp = (key: string, who = ada) => as(who).post('/user/gpg_keys', { key })

describe('a PGP signature', () => {
  it('is verified if key and address belong to one user', async () => {
    const { publicKey, signer } = await pgp('ada@example.test')
    const id = await commit('ada@example.test', signer)
    expect(await ofCommit(id)).toEqual({
      signature_type: 'PGP',
      verification_status: 'unknown_key',
      gpg_key_id: null,
      gpg_key_primary_keyid: expect.stringMatching(/^[0-9A-F]{16}$/),
      gpg_key_user_name: null,
      gpg_key_user_email: null,
      gpg_key_subkey_id: null,
      commit_source: 'gitaly',
    })
    const key = (await addPgp(publicKey)).body
    expect(await ofCommit(id)).toEqual({
      signature_type: 'PGP',
      verification_status: 'verified',
      gpg_key_id: key.id,
      gpg_key_primary_keyid: expect.stringMatching(/^[0-9A-F]{16}$/),
      gpg_key_user_name: 'Ada',
      gpg_key_user_email: 'ada@example.test',
      gpg_key_subkey_id: 1,
      commit_source: 'gitaly',
    })
    expect(await ofTag(await tag('ada@example.test', signer))).toMatchObject({
      verification_status: 'verified',
    })
    const spoilt = await commit('ada@example.test', signer, (text) => text.replace('By', 'Not by'))
    expect(await ofCommit(spoilt)).toMatchObject({ verification_status: 'unverified', gpg_key_id: key.id })
    expect((await as(ada).post(`/user/gpg_keys/${key.id}/revoke`)).status).toBe(202)
    expect(await ofCommit(id)).toMatchObject({ verification_status: 'unverified_key' })
  })

  it('names the owner of the address otherwise', async () => {
    const { publicKey, signer } = await pgp('ada@example.test', 'nobody@example.test')
    const key = (await addPgp(publicKey)).body
    expect(await ofCommit(await commit('ben@example.test', signer))).toMatchObject({
      verification_status: 'other_user',
    })
    expect(await ofCommit(await commit('nobody@example.test', signer))).toMatchObject({
      verification_status: 'other_user',
    })
    const own = `${ada.id}-ada@users.noreply.127.0.0.1`
    expect(await ofCommit(await commit(own, signer))).toMatchObject({
      verification_status: 'same_user_different_email',
    })
    const id = await commit('ada@example.test', signer)
    expect(await ofCommit(id)).toMatchObject({ verification_status: 'verified' })
    await as(ada).delete(`/user/gpg_keys/${key.id}`)
    expect(await ofCommit(id)).toMatchObject({ verification_status: 'unknown_key' })
  })

  it('is unverified if no user of the key has the address, and unknown if it is damaged', async () => {
    const { publicKey, signer } = await pgp('stranger@example.test')
    await addPgp(publicKey)
    expect(await ofCommit(await commit('ada@example.test', signer))).toMatchObject({
      verification_status: 'unverified_key',
    })
    const broken = await commit(
      'ada@example.test',
      () => '-----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----',
    )
    expect(await ofCommit(broken)).toMatchObject({
      verification_status: 'unknown_key',
      gpg_key_primary_keyid: '',
    })
  })

  it('by two keys returns multiple_signatures', async () => {
    const [first, second] = [await pgp('ada@example.test'), await pgp('ada@example.test')]
    const keys = await Promise.all([first, second].map(({ publicKey }) => addPgp(publicKey)))
    expect(keys.map(({ status }) => status)).toEqual([201, 201])
    const { readSignature, PacketList, Signature } = await import('openpgp')
    const both: Signer = async (payload) => {
      const packets = new PacketList()
      for (const { signer } of [first, second]) {
        const { packets: own } = await readSignature({ armoredSignature: await signer(payload) })
        for (const packet of own) packets.push(packet)
      }
      return new Signature(packets as never).armor()
    }
    expect(await ofCommit(await commit('ada@example.test', both))).toMatchObject({
      verification_status: 'multiple_signatures',
    })
  })

  const gpg = isPossible(has('gpg'), 'there is no gpg on the PATH')
  it.runIf(gpg)('is read as gpg makes it', async () => {
    const home = mkdtempSync(join(tmpdir(), 'gpg-'))
    const run = (input: string, ...args: string[]) =>
      execFileSync('gpg', ['--homedir', home, '--batch', '-q', '--passphrase', '', ...args], {
        input,
        stdio: 'pipe',
      }).toString()
    try {
      run('', '--quick-gen-key', 'Ben <ben@example.test>', 'rsa2048', 'sign', '0')
      await addPgp(run('', '--armor', '--export'), ben)
      const id = await commit('ben@example.test', (payload) => run(payload, '--armor', '--detach-sign'))
      expect(await ofCommit(id)).toMatchObject({ verification_status: 'verified', gpg_key_subkey_id: null })
    } finally {
      spawnSync('gpgconf', ['--homedir', home, '--kill', 'all'])
      rmSync(home, { recursive: true, force: true })
    }
  })
})

describe.runIf(
  isPossible(has('ssh-keygen') && process.platform !== 'win32', 'there is no ssh-keygen on the PATH'),
)('a signature by SSH', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sshsig-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let count = 0

  function pair(...type: string[]) {
    const file = join(folder, `key${++count}`)
    const made = ['-q', '-N', '', '-C', '', '-f', file, ...(type.length > 0 ? type : ['-t', 'ed25519'])]
    execFileSync('ssh-keygen', made, { stdio: 'pipe' })
    const signer =
      (namespace = 'git'): Signer =>
      (payload) =>
        execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-n', namespace, '-f', file], {
          input: payload,
          stdio: 'pipe',
        }).toString()
    return { line: readFileSync(`${file}.pub`, 'utf8').trim(), signer }
  }
  const add = (key: string, more: object = {}, who = ada) =>
    as(who).post('/user/keys', { title: 'Signs', key, ...more })

  it('is verified if key and address belong to one user', async () => {
    const { line, signer } = pair()
    const id = await commit('ada@example.test', signer())
    expect(await ofCommit(id)).toEqual({
      signature_type: 'SSH',
      verification_status: 'unknown_key',
      key: null,
      commit_source: 'gitaly',
    })
    const key = (await add(line, { usage_type: 'signing' })).body
    expect(await ofCommit(id)).toEqual({
      signature_type: 'SSH',
      verification_status: 'verified',
      key,
      commit_source: 'gitaly',
    })
    expect(await ofTag(await tag('ada@example.test', signer()))).toMatchObject({
      verification_status: 'verified',
    })
    const status = async (made: Promise<string>) => (await ofCommit(await made)).verification_status
    expect(await status(commit('ben@example.test', signer()))).toBe('other_user')
    expect(await status(commit('nobody@example.test', signer()))).toBe('other_user')
    expect(await status(commit('ada@example.test', signer('file')))).toBe('unverified')
    expect(await status(commit('ada@example.test', signer(), (text) => `${text}more`))).toBe('unverified')
    const cut: Signer = async (payload) => (await signer()(payload)).replace(/\n.{20}/, '\n')
    expect(await status(commit('ada@example.test', cut))).toBe('unverified')
  })

  it('is read for every kind of key', async () => {
    for (const type of [
      ['-t', 'rsa', '-b', '2048'],
      ['-t', 'ecdsa', '-b', '256'],
      ['-t', 'ecdsa', '-b', '384'],
      ['-t', 'ecdsa', '-b', '521'],
    ]) {
      const { line, signer } = pair(...type)
      await add(line)
      const { verification_status } = await ofCommit(await commit('ada@example.test', signer()))
      expect([type, verification_status]).toEqual([type, 'verified'])
    }
  })

  it('is unverified with a key that only signs in', async () => {
    const { line, signer } = pair()
    await add(line, { usage_type: 'auth' })
    expect(await ofCommit(await commit('ada@example.test', signer()))).toMatchObject({
      verification_status: 'unknown_key',
      key: null,
    })
  })

  it('is read as git makes it', async () => {
    const { line } = pair()
    await add(line, {}, ben)
    const work = tempDir()
    shell(work, ['init', '-q', '-b', 'main'])
    const config = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${join(folder, `key${count}`)}`]
    const env = { ...cleanEnv(), GIT_COMMITTER_EMAIL: 'ben@example.test' }
    const run = (...args: string[]) =>
      execFileSync('git', ['-C', work, ...config, ...args], { env, stdio: 'pipe' })
    run('commit', '-q', '-S', '--allow-empty', '-m', 'Signed')
    run('tag', '-s', '-m', 'Signed tag', 'signed')
    shell(repo, ['fetch', '-q', work, 'main:signed', 'refs/tags/signed:refs/tags/signed'])
    expect(await ofCommit('signed')).toMatchObject({
      verification_status: 'verified',
      key: { title: 'Signs' },
    })
    expect(await ofTag('signed')).toMatchObject({ verification_status: 'verified' })
  })
})

describe.runIf(isPossible(has('openssl'), 'there is no openssl on the PATH'))(
  'a signature by a certificate',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'x509-'))
    const trusted = getCACertificates('default')
    afterAll(() => {
      setDefaultCACertificates(trusted)
      rmSync(folder, { recursive: true, force: true })
    })
    const file = (name: string) => join(folder, name)
    const openssl = (input: string, ...args: string[]) =>
      execFileSync('openssl', args, { input, cwd: folder, stdio: 'pipe' })
    const authority = [
      '-x509',
      '-days',
      '36500',
      '-subj',
      '/O=Trust/CN=Root',
      '-addext',
      'basicConstraints=critical,CA:TRUE',
    ]

    function issue(name: string, email: string, kind: string[], days = '36500'): Signer {
      openssl(
        '',
        'req',
        '-new',
        '-newkey',
        ...kind,
        '-nodes',
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.csr`,
        '-subj',
        `/O=Works/CN=${name}`,
      )
      writeFileSync(
        file(`${name}.ext`),
        `subjectAltName=email:${email}\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\ncrlDistributionPoints=URI:http://crl.example.test/x.crl\n`,
      )
      openssl(
        '',
        'x509',
        '-req',
        '-in',
        `${name}.csr`,
        '-CA',
        'ca.pem',
        '-CAkey',
        'ca.key',
        '-CAcreateserial',
        '-days',
        days,
        '-extfile',
        `${name}.ext`,
        '-out',
        `${name}.pem`,
      )
      return (payload) => {
        const der = openssl(
          payload,
          'cms',
          '-sign',
          '-binary',
          '-outform',
          'DER',
          '-signer',
          `${name}.pem`,
          '-inkey',
          `${name}.key`,
          '-md',
          'sha256',
        )
        const text = der
          .toString('base64')
          .match(/.{1,64}/g)!
          .join('\n')
        return `-----BEGIN SIGNED MESSAGE-----\n${text}\n-----END SIGNED MESSAGE-----\n`
      }
    }

    it('is verified if this machine trusts it and the address matches', async () => {
      openssl(
        '',
        'req',
        '-new',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        'ca.key',
        '-out',
        'ca.pem',
        ...authority,
      )
      const signer = issue('ada', 'ada@example.test', ['rsa:2048'])
      const before = await commit('ada@example.test', signer)
      expect(await ofCommit(before)).toMatchObject({
        signature_type: 'X509',
        verification_status: 'unverified',
      })
      setDefaultCACertificates([...trusted, readFileSync(file('ca.pem'), 'utf8')])
      const answer = await ofCommit(await commit('ada@example.test', signer))
      expect(answer).toEqual({
        signature_type: 'X509',
        verification_status: 'verified',
        x509_certificate: {
          id: expect.any(Number),
          subject: 'CN=ada,O=Works',
          subject_key_identifier: expect.stringMatching(/^([0-9A-F]{2}:){19}[0-9A-F]{2}$/),
          email: 'ada@example.test',
          serial_number: expect.any(Number),
          certificate_status: 'good',
          x509_issuer: {
            id: expect.any(Number),
            subject: 'CN=Root,O=Trust',
            subject_key_identifier: expect.stringMatching(/^([0-9A-F]{2}:){19}[0-9A-F]{2}$/),
            crl_url: 'http://crl.example.test/x.crl',
          },
        },
        commit_source: 'gitaly',
      })
      const serial = BigInt(
        `0x${openssl('', 'x509', '-in', 'ada.pem', '-noout', '-serial').toString().trim().split('=')[1]}`,
      )
      const id = await commit('ada@example.test', signer)
      expect((await as(null).get(`${at}/commits/${id}/signature`)).text).toContain(
        `"serial_number":${serial}`,
      )
      const status = async (made: Promise<string>) => (await ofCommit(await made)).verification_status
      expect(await status(commit('ben@example.test', signer))).toBe('unverified')
      expect(await status(commit('ada@example.test', signer, (text) => `${text}more`))).toBe('unverified')
      expect(await ofTag(await tag('ada@example.test', signer))).toMatchObject({
        verification_status: 'verified',
      })
      const garbage = await commit(
        'ada@example.test',
        () => '-----BEGIN SIGNED MESSAGE-----\nAAAA\n-----END SIGNED MESSAGE-----',
      )
      expect(await ofCommit(garbage)).toMatchObject({
        verification_status: 'unverified',
        x509_certificate: null,
      })
    })

    it('is read with elliptic curves, too', async () => {
      const signer = issue('ben', 'ben@example.test', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'])
      expect(await ofCommit(await commit('ben@example.test', signer))).toMatchObject({
        verification_status: 'verified',
      })
    })

    it('is unverified with a self-made certificate', async () => {
      const pem = readFileSync(file('ca.pem'), 'utf8')
      openssl(
        '',
        'req',
        '-new',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        'ca.key',
        '-out',
        'ca.pem',
        ...authority,
      )
      const signer = issue('false', 'ada@example.test', ['rsa:2048'])
      writeFileSync(file('ca.pem'), pem)
      expect(await ofCommit(await commit('ada@example.test', signer))).toMatchObject({
        verification_status: 'unverified',
      })
    })
  },
)
