package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
	"github.com/rogpeppe/go-internal/testscript"
)

// server runs cdpor serve for a script until that ends. $URL is where it listens.
func server(ts *testscript.TestScript, neg bool, args []string) {
	p, at, err := beginServer(ts.MkAbs("."), args[1:])
	ts.Check(err)
	ts.Defer(p.kill)
	ts.Setenv("URL", at)
}

// credentials writes what a server with TLS and accounts has, and its user, into a folder: server.conf, ca.pem,
// user.pem, user.key, user.creds.
func credentials(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	ts.Check(writeCertificates(dir))
	ts.Check(writeAccounts(dir))
}

// writeCertificates writes an authority, and certificates of a server and a user that it vouches for.
func writeCertificates(dir string) error {
	template := func(name string, number int64) *x509.Certificate {
		return &x509.Certificate{SerialNumber: big.NewInt(number), Subject: pkix.Name{CommonName: name},
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), BasicConstraintsValid: true,
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
			KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	}
	authority := template("authority", 1)
	authority.IsCA = true
	by, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	for i, name := range []string{"ca", "server", "user"} {
		key, of := by, authority
		if i > 0 {
			of = template(name, int64(i)+1)
			if key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
				return err
			}
		}
		text, err := x509.CreateCertificate(rand.Reader, of, authority, key.Public(), by)
		if err != nil {
			return err
		}
		secret, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			return err
		}
		for kind, block := range map[string]*pem.Block{".pem": {Type: "CERTIFICATE", Bytes: text},
			".key": {Type: "PRIVATE KEY", Bytes: secret}} {
			if err := os.WriteFile(filepath.Join(dir, name+kind), pem.EncodeToMemory(block), 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeAccounts writes the configuration of a server with one account, and the credentials of its user.
func writeAccounts(dir string) error {
	var keys [4]nkeys.KeyPair
	var public [4]string
	for i, make := range []func() (nkeys.KeyPair, error){nkeys.CreateOperator, nkeys.CreateAccount,
		nkeys.CreateAccount, nkeys.CreateUser} {
		var err error
		if keys[i], err = make(); err != nil {
			return err
		}
		if public[i], err = keys[i].PublicKey(); err != nil {
			return err
		}
	}
	operator := jwt.NewOperatorClaims(public[0])
	operator.SystemAccount = public[1]
	system, account := jwt.NewAccountClaims(public[1]), jwt.NewAccountClaims(public[2])
	account.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
	user := jwt.NewUserClaims(public[3])
	user.IssuerAccount = public[2]
	var texts [4]string
	for i, claims := range []jwt.Claims{operator, system, account, user} {
		by := keys[0]
		if i == 3 {
			by = keys[2]
		}
		var err error
		if texts[i], err = claims.Encode(by); err != nil {
			return err
		}
	}
	seed, err := keys[3].Seed()
	if err != nil {
		return err
	}
	creds, err := jwt.FormatUserConfig(texts[3], seed)
	if err != nil {
		return err
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	config := fmt.Sprintf("operator: %s\nsystem_account: %s\nresolver: MEMORY\n"+
		"resolver_preload: {\n  %s: %s\n  %s: %s\n}\n"+
		"tls {\n  cert_file: %q\n  key_file: %q\n  ca_file: %q\n  verify: true\n}\n", texts[0], public[1],
		public[1], texts[1], public[2], texts[2], file("server.pem"), file("server.key"), file("ca.pem"))
	if err := os.WriteFile(file("user.creds"), creds, 0o600); err != nil {
		return err
	}
	return os.WriteFile(file("server.conf"), []byte(config), 0o600)
}
