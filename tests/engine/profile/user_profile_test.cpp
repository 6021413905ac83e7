// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/user_profile.h"

#include "tests/support/scoped_variable.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

namespace graphloom::test::user_profile_test {

namespace fs = std::filesystem;

/// The user's own database is at the default place; one that was named is elsewhere.
class UserProfileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_data.reset(); // before the next one is set
        m_parent = std::make_unique<QTemporaryDir>();
        m_data = std::make_unique<test::ScopedVariable>("XDG_DATA_HOME", m_parent->path().toUtf8());
        m_own = fs::path(m_parent->path().toStdString()) / "graphloom" / "profile.db";
    }
    void thereNeedNotBeOne();
    void itIsMadeToBeFilled();
    void damagedOnesAreDoneWithout();
    void withoutAHomeNoneIsMade();
    void namedOnesMustBeThere();
    void namedOnesMustBeSound();

private:
    static void damage(const fs::path &file)
    {
        fs::create_directories(file.parent_path());
        std::ofstream(file) << "no database at all";
    }
    std::unique_ptr<QTemporaryDir> m_parent;
    std::unique_ptr<test::ScopedVariable> m_data;
    fs::path m_own;
};

void UserProfileTest::thereNeedNotBeOne()
{
    const auto profile = openProfile({});
    QVERIFY(profile);
    QVERIFY(!profile->database && profile->problem.empty());
    QVERIFY(!fs::exists(m_own));
}

void UserProfileTest::itIsMadeToBeFilled()
{
    const auto profile = openOrMakeProfile({});
    QVERIFY(profile);
    QVERIFY(profile->database && profile->problem.empty());
    QVERIFY(fs::exists(m_own));
}

void UserProfileTest::damagedOnesAreDoneWithout()
{
    damage(m_own);
    for (const auto open : {openProfile, openOrMakeProfile}) {
        const auto profile = open({}, {});
        QVERIFY(profile);
        QVERIFY(!profile->database);
        QVERIFY2(profile->problem.starts_with(m_own.string()), profile->problem.c_str());
    }
}

void UserProfileTest::withoutAHomeNoneIsMade()
{
    const test::ScopedVariable data("XDG_DATA_HOME", ""), home("HOME", "");
    const auto profile = openOrMakeProfile({});
    QVERIFY(profile);
    QVERIFY(!profile->database);
    QVERIFY2(profile->problem.find("no home folder") != std::string::npos,
             profile->problem.c_str());
}

void UserProfileTest::namedOnesMustBeThere()
{
    const auto profile = openProfile(m_own.parent_path() / "other.db");
    QVERIFY(!profile);
    QCOMPARE(int(profile.error().kind), int(Error::Kind::Missing));
}

void UserProfileTest::namedOnesMustBeSound()
{
    const fs::path named = m_own.parent_path() / "other.db";
    damage(named);
    for (const auto open : {openProfile, openOrMakeProfile}) {
        const auto profile = open(named, {});
        QVERIFY(!profile);
        QCOMPARE(int(profile.error().kind), int(Error::Kind::Missing));
        QCOMPARE(profile.error().where, named.string());
    }
}

GRAPHLOOM_TESTS(UserProfileTest)

} // namespace graphloom::test::user_profile_test

#include "user_profile_test.moc"
