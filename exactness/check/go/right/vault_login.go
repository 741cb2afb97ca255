package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
	"golang.org/x/crypto/chacha20poly1305"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

type vault struct {
	salt [16]byte
	hash []byte
}

func (v *vault) enroll(password []byte) (err error) {
	if _, err = rand.Read(v.salt[:]); err != nil {
		return err
	}
	v.hash, err = bcrypt.GenerateFromPassword(password, bcrypt.DefaultCost)
	if errors.Is(err, bcrypt.ErrPasswordTooLong) {
		digest := sha256.Sum256(password)
		v.hash, err = bcrypt.GenerateFromPassword(digest[:], bcrypt.DefaultCost)
	}
	return err
}

func (v *vault) seal(password, plain []byte) ([]byte, error) {
	key := argon2.IDKey(password, v.salt[:], 1, 64*1024, 4, chacha20poly1305.KeySize)
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(plain)+aead.Overhead())
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return aead.Seal(nonce, nonce, plain, nil), nil
}

func newKey() (ssh.Signer, []byte, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	block, err := ssh.MarshalPrivateKey(private, "vault")
	if err != nil {
		return nil, nil, err
	}
	signer, err := ssh.NewSignerFromKey(private)
	return signer, pem.EncodeToMemory(block), err
}

func run(address, command string, signer ssh.Signer) (string, error) {
	known, err := knownhosts.New(os.ExpandEnv("$HOME/.ssh/known_hosts"))
	if err != nil {
		return "", err
	}
	config := &ssh.ClientConfig{
		User:            "vault",
		Auth:            []ssh.AuthMethod{ssh.PublicKeys(signer)},
		HostKeyCallback: known,
		Timeout:         5 * time.Second,
	}
	client, err := ssh.Dial("tcp", net.JoinHostPort(address, "22"), config)
	if err != nil {
		return "", err
	}
	defer client.Close()
	session, err := client.NewSession()
	if err != nil {
		return "", err
	}
	defer session.Close()
	session.Stderr = os.Stderr
	output, err := session.Output(command)
	var failed *ssh.ExitError
	if errors.As(err, &failed) {
		return "", fmt.Errorf("it ended with %d", failed.ExitStatus())
	}
	return string(output), err
}

func main() {
	var one vault
	if err := one.enroll([]byte("secret")); err != nil {
		panic(err)
	}
	sealed, err := one.seal([]byte("secret"), []byte("text"))
	if err != nil {
		panic(err)
	}
	fmt.Println(base64.RawURLEncoding.EncodeToString(sealed), hex.EncodeToString(one.salt[:]))
	signer, private, err := newKey()
	if err != nil {
		panic(err)
	}
	public := signer.PublicKey()
	fmt.Println(ssh.FingerprintSHA256(public), public.Type(), len(private))
	if subtle.ConstantTimeCompare(sealed, private) == 1 {
		return
	}
	output, err := run("host.example", "uptime", signer)
	fmt.Println(output, err)
}
